/* The first calls of a process, for a model checker: two copies of a stub, whose calls meet in every order while a thread
 * remembers an error.
 *
 *     python3 tests/threads/model/check.py      (Debian package spin)
 *
 * "errors: 0" means: whichever thread of whichever copy goes on to a library, it is the same one; a slot that has led to a library
 * leads there for ever; once a thread has remembered its error, no last-error function of any copy asks the
 * library past it. No step here waits for another thread, so a child that is forked in the middle of the others' calls ends
 * its own; what it finds is what a thread finds that comes while they stand still. check.py also breaks the protocol in each of the ways below, and each must be found.
 *
 * One step here is one atomic access there. */

#define LEADER 0 /* the copy that was loaded first */
#define MEMBER 1
#define COPIES 2

#define NOTHING 0  /* a slot that leads to the resolver; no choice */
#define OURS 3     /* the stub's own last-error function; 1 and 2: a library's function */

byte choice = NOTHING;   /* stub_copies.cc: the record of the choice in the process's list */
byte chosen[COPIES];     /* opened_library.cc: `opened` */
byte slot[COPIES];       /* jump_slots.h: of a function that the library has */
byte error_slot[COPIES]; /* the same of cudaGetLastError */
bool any[COPIES];        /* last_error.cc */
bool joined = false;     /* stub_copies.cc: the record of the member in that list */
byte used = NOTHING;     /* the library that a call has reached */
bool remembered = false; /* remember_error() has returned */

/* opened_library.cc, adopt_library(): `mine` becomes what c has. */
inline adopt_library(c, mine) {
  atomic {
    if
    :: chosen[c] == NOTHING -> chosen[c] = mine
    :: else -> mine = chosen[c]
    fi
  }
}

/* stub_copies.cc, choose_for_all_copies(): `mine` becomes the choice that stands. */
inline choose(mine) {
#ifdef SETTLE_BLINDLY
  choice = mine
#else
  atomic {
    if
    :: choice == NOTHING -> choice = mine
    :: else -> mine = choice
    fi
  }
#endif
}

/* stub_copies.cc, join_process(): the leader knows a copy that has joined. */
inline join(c) {
  if
  :: c == MEMBER -> joined = true
  :: else
  fi
}

/* open.cc, open_library() with search_for(). */
inline open(c, lib) {
  lib = chosen[c];
  if
  :: lib != NOTHING
  :: lib == NOTHING ->
#ifndef JOIN_LATE
     join(c);
#endif
     /* join_choice() */
     if
     :: choice != NOTHING ->
        lib = choice;
        adopt_library(c, lib)
     :: else ->
        /* the search: what it finds depends on who calls */
        if
        :: lib = 1
        :: lib = 2
        :: lib = NOTHING
        fi;
        if
        :: lib != NOTHING ->
#ifndef KEEP_TO_ITSELF
           choose(lib);
#endif
           adopt_library(c, lib)
        :: lib == NOTHING
        fi
     fi
  fi
}

/* jump_slots.h, fill_slot(). */
inline fill(place, target) {
#ifdef FILL_BLINDLY
  place = target
#else
  atomic {
    if
    :: place == NOTHING -> place = target
    :: else -> target = place
    fi
  }
#endif
}

/* A call of a function that the library has. */
inline call(c, lib) {
  lib = slot[c];
  if
  :: lib != NOTHING
  :: lib == NOTHING ->
     open(c, lib);
     if
     :: lib != NOTHING -> fill(slot[c], lib)
     :: lib == NOTHING /* the call returns its error */
     fi
  fi;
  if
  :: lib != NOTHING -> atomic { assert(used == NOTHING || used == lib); used = lib }
  :: lib == NOTHING
  fi
}

/* A call of cudaGetLastError, as resolve.cc has it. */
inline look(c, lib) {
  if
  :: error_slot[c] != NOTHING
  :: error_slot[c] == NOTHING ->
     open(c, lib);
     if
     :: lib == NOTHING
     :: lib != NOTHING ->
        /* any_error_remembered() */
        if
        :: any[c] -> lib = OURS
        :: !any[c] ->
           if
           :: any[LEADER] -> lib = OURS
           :: !any[LEADER]
           fi
        fi;
#ifdef JOIN_LATE
        join(c);
#endif
        fill(error_slot[c], lib)
     fi
  fi
}

/* last_error.cc, take_last_error_slots(). */
inline take(c) {
#ifndef FORGET_TO_MARK
  any[c] = true;
#endif
  error_slot[c] = OURS
}

proctype Caller(byte copy; byte other) {
  byte library;
  call(copy, library);
  call(other, library)
}

proctype Looker(byte copy) {
  byte library;
  look(copy, library)
}

/* A call of this thread has failed: remember_error(). */
proctype Failing() {
  take(LEADER);
  /* take_slots_of_members() */
  if
  :: joined -> take(MEMBER)
  :: !joined
  fi;
  remembered = true
}

init {
  atomic {
    run Caller(LEADER, MEMBER);
    run Caller(MEMBER, LEADER);
    run Looker(LEADER);
    run Looker(MEMBER);
    run Failing()
  }
  _nr_pr == 1; /* all have ended */
  assert(!remembered || (error_slot[LEADER] == OURS && error_slot[MEMBER] != 1 && error_slot[MEMBER] != 2))
}
