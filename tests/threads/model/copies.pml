/* The copies of a stub in a process (docs/copies.md), for a model checker: a file of an earlier anycuda, a file of a later one and
 * a plugin with a static stub are loaded, register, call, fail and are unloaded in every order. One thread may stop anywhere: this is a
 * forked child, which does not have that thread.
 *
 *     python3 tests/threads/model/check.py      (Debian package spin)
 *
 * "errors: 0" means: no thread waits for another; all calls of the process reach one library; the same copy handles all
 * calls of a copy; a registration reaches the library once, before each call that comes after it; an error that is set
 * through one copy is read through the others; nobody touches the plugin after it is unloaded; a walk is used only
 * with its own inputs. check.py also breaks the protocol in each of the ways below, and each must be found.
 *
 * One step here is one atomic access to the process's list there (loader/process/process_records.cc), or one registration. How a
 * log is kept and replayed is in registration.pml. */

#define EARLIER 0
#define LATER 1
#define PLUGIN 2 /* a static stub, of the earlier version */
#define NOBODY 3

#define COPY 1
#define LEADER 2
#define CHOICE 3
#define WALK 4
#define CLAIMED 5

#define RECORDS 8
#define told_all (told[EARLIER] <= 1 && told[LATER] <= 1)
byte kind[RECORDS], value[RECORDS], records = 0;
byte used = 0; /* the library that calls have reached */
byte handled_by[3] = NOBODY;
byte logged[3]; /* the registrations in a copy's log: a bit for the object of each copy */
bool closed[3];
byte told[3];      /* the registrations that the library has got */
bool complete[3];  /* the object has registered */
bool gone = false; /* the plugin is unloaded */
bool error[3];     /* the last error, in its owner */
bool may_stop = false, has_stopped = false;
byte variable = 0; /* what a walk reads */

#define SAME(p, k, v) (kind[p] == k && (value[p] == v || (k != COPY && k != WALK)))

/* add_record(): *found is the value of the record that stands. */
inline add(k, v, found) {
  place = 0;
  do
#ifdef APPEND_BLINDLY
  :: atomic { kind[records] = k; value[records] = v; records++; found = v; place = 0 }; break
#else
#ifdef CLAIM_FIRST
  :: atomic { place == records -> kind[records] = CLAIMED; records++ };
     if
     :: true
     :: atomic { may_stop && !has_stopped -> has_stopped = true; goto stopped }
     fi;
     atomic { kind[place] = k; value[place] = v; found = v; place = 0 };
     break
  :: atomic { place < records && kind[place] != CLAIMED && !SAME(place, k, v) -> place++ }
#else
  :: atomic { place == records -> kind[records] = k; value[records] = v; records++; found = v; place = 0 }; break
  :: atomic { place < records && !SAME(place, k, v) -> place++ }
#endif
  :: atomic { place < records && SAME(place, k, v) -> found = value[place]; place = 0 }; break
#endif
  od
}

/* The value of the first record of that kind, NOBODY without one. */
inline find(k, found) {
  atomic {
    place = 0;
    do
    :: place < records && kind[place] != k -> place++
    :: else -> break
    od;
    found = (place < records -> value[place] : NOBODY);
    place = 0
  }
}

inline find_copy(c, found) {
  atomic {
    found = NOBODY;
    place = 0;
    do
    :: place < records -> found = (kind[place] == COPY && value[place] == c -> c : found); place++
    :: else -> break
    od;
    place = 0
  }
}

inline join(c) {
  if
#ifndef STATIC_JOINS
  :: c == PLUGIN
  :: c != PLUGIN -> add(COPY, c, other)
#else
  :: add(COPY, c, other)
#endif
  fi
}

/* leading_copy(). A plugin that is called before any file is loaded is alone for ever. */
inline decide(c, l) {
  join(c);
  if
  :: c == PLUGIN && alone -> l = PLUGIN
  :: else ->
     find(LEADER, l);
     if
     :: l != NOBODY
     :: l == NOBODY ->
        find(COPY, l);
        if
        :: l == NOBODY -> l = PLUGIN; alone = true
        :: l != NOBODY ->
           find_copy(LATER, other);
           if
           :: other == LATER -> l = LATER
           :: else
           fi;
#ifndef DECIDE_ANEW
           add(LEADER, l, l)
#else
           skip
#endif
        fi
     fi
  fi
}

/* `o` reaches the leader, or the library. */
inline pass_on(log, to, o) {
  if
  :: log != to && !closed[to] -> logged[to] = logged[to] | (1 << o)
  :: else ->
     assert(told[o] == 0 && (o != PLUGIN || !gone));
     told[o]++
  fi
}

/* Log and close: of the log that `from` keeps. */
inline replay(whose, into) {
  object = 0;
  do
  :: atomic { object < 3 && (logged[whose] & (1 << object)) != 0 ->
              logged[whose] = logged[whose] & ~(1 << object); pass_on(whose, into, object) };
#ifdef REPLAY_TWICE
     atomic { if :: told[object] == 0 -> told[object]++ :: else fi }
#endif
  :: atomic { object < 3 && (logged[whose] & (1 << object)) == 0 -> object++ }
#ifdef LEAVE_OPEN
  :: object == 3 -> break
#else
  :: atomic { object == 3 && logged[whose] == 0 -> closed[whose] = true }; break
  :: atomic { object == 3 && logged[whose] != 0 -> object = 0 }
#endif
  od
}

inline register(c) {
  if
  :: c == PLUGIN -> owner = PLUGIN
  :: c != PLUGIN -> join(c); find(COPY, owner)
  fi;
  if
  :: atomic { !closed[owner] -> logged[owner] = logged[owner] | (1 << c) }
  :: closed[owner] ->
     leader = owner;
     if
     :: c == PLUGIN && alone
     :: else -> find(LEADER, leader)
     fi;
     atomic { pass_on(owner, leader, c) }
  fi;
  complete[c] = true
}

inline unregister(c) {
  atomic {
    object = 0;
    do
    :: object < 3 -> logged[object] = logged[object] & ~(1 << c); object++
    :: else -> break
    od;
    told[c] = 0;
    complete[c] = false
  }
}

/* The library gets the call: it knows what was registered before. */
inline arrive() {
  assert(!before[EARLIER] || told[EARLIER] == 1);
  assert(!before[LATER] || told[LATER] == 1)
}

/* A call of a function of the library, to its end. */
inline call(c) {
  atomic { before[EARLIER] = complete[EARLIER]; before[LATER] = complete[LATER] };
  decide(c, leader);
  handler = (leader == LATER && c != LATER -> LATER : c);
#ifdef CHAIN
  if
  :: handler == LATER -> find(COPY, handler) /* the leader asks the first copy once more */
  :: else
  fi;
#endif
  assert(leader != LATER || handler == LATER);
  if
  :: c == PLUGIN && alone
  :: else ->
     atomic { assert(handled_by[c] == NOBODY || handled_by[c] == handler); handled_by[c] = handler };
     /* a search, whose result depends on who calls */
     find(CHOICE, choice);
     if
     :: choice != NOBODY
     :: choice == NOBODY ->
        if
        :: choice = 1
        :: choice = 2
        fi;
#ifndef KEEP_TO_ITSELF
        add(CHOICE, choice, choice)
#else
        skip
#endif
     fi;
     atomic { assert(used == 0 || used == choice); used = choice };
     if
     :: c == PLUGIN -> replay(PLUGIN, leader)
     :: else
     fi;
     find(COPY, owner);
     replay(owner, leader);
     replay(leader, leader);
     arrive()
  fi
}

/* A later call of the function, straight to the library. */
inline call_again() {
  atomic { before[EARLIER] = complete[EARLIER]; before[LATER] = complete[LATER] };
  arrive()
}

/* The stub itself returns an error: remember_error() through one copy, then a query through the other. */
inline fail(c, through) {
  decide(c, leader);
  error[leader] = true;
  object = 0;
  do
  :: object < records ->
     /* take_slots() of each copy: it writes into the copy's object */
     assert(kind[object] != COPY || value[object] != PLUGIN || !gone);
     object++
  :: else -> break
  od;
#ifdef ERRORS_OF_THE_FIRST
  find(COPY, leader);
#else
  decide(through, leader);
#endif
  assert(error[leader])
}

proctype File(byte c) {
  byte place, other, owner, leader, handler, choice, object;
  bool before[2], alone;
  register(c);
  if
  :: may_stop && c == LATER -> has_stopped = true; goto stopped
  :: true
  fi;
  call(c);
  if
  :: c == EARLIER -> call_again()
  :: else
  fi;
stopped:
  skip
}

proctype Plugin() {
  byte place, other, owner, leader, handler, choice, object;
  bool before[2], alone;
  register(PLUGIN);
  call(PLUGIN);
  unregister(PLUGIN);
  gone = true
stopped:
  skip
}

proctype Failing() {
  byte place, other, leader, object;
  bool alone;
  fail(EARLIER, LATER);
stopped:
  skip
}

/* A search of a stub: it reads a variable, and walks unless somebody has walked with the same value. */
proctype Searching() {
  byte place, inputs, result;
  inputs = variable;
#ifdef SHARE_BLINDLY
  find(WALK, result);
  if
  :: result == NOBODY -> add(WALK, inputs, result)
  :: else
  fi;
#else
  add(WALK, inputs, result);
#endif
  assert(result == inputs);
stopped:
  skip
}

proctype Setting() {
  variable = 1
}

init {
  if
  :: may_stop = true
  :: true
  fi;
  if /* few at a time: together the states are too many */
  :: atomic { run File(EARLIER); run File(LATER) }
  :: atomic { run File(EARLIER); run Plugin() }
  :: atomic { run File(LATER); run Plugin() }
  :: atomic { run Failing(); run File(LATER); run Plugin() }
  :: atomic { run Searching(); run Searching(); run Searching(); run Setting() }
  fi;
  _nr_pr == 1; /* all have ended */
  assert(told_all)
}
