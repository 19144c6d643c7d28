/* Registration, replay and removal, for a model checker: every order in which two objects can
 * register and be removed while two threads make their first calls. One of the objects may stop in
 * the middle of a registration: this is a forked child, which does not have the object's thread.
 *
 *     python3 tests/threads/model/check.py      (Debian package spin)
 *
 * "errors: 0" means: no other thread waits for ever, each fat binary is given to the library
 * once and before its function, nothing is lost between the log's last record and its closing, the
 * library never reads an object that is gone, and no call reaches it before the registrations do, though the library calls
 * the stub from inside them. check.py also breaks the protocol in each of the ways below, and each must be found.
 *
 * One step here is one atomic access there: registration.cc, registration_log.cc, _replay.cc. */

#define OBJECTS 2
#define CALLERS 2
#define RECORDS 5 /* a fat binary and a function of each object, one of them skipped once */

#define NOTHING 0
#define FAT 1 /* + object */
#define FUNCTION 3
#ifdef WRITE_ALIKE
#define WRITING(object) 5
#else
#define WRITING(object) (5 + object) /* each appender writes another head */
#endif
#define IS_WRITING(head) (head == 5 || head == 6)
#define SKIPPED 7

byte end = 0; /* Log::end_, */
bool closed = false; /* and its closed bit */
byte head[RECORDS];
bool may_stop = false;
bool has_stopped = false;
bool finished = false; /* what those who wait sleep on: the futex */
bool slot = false; /* the function's slot is filled: its callers go straight to the library */
byte replayer = 0; /* 0: none; 1 + number of a caller or object */
bool cancelled[OBJECTS];
bool real_handle[OBJECTS];

/* The registrations that the library has got, and the state of the objects. */
byte fats[OBJECTS], functions[OBJECTS], removals[OBJECTS];
bool registered[OBJECTS], gone[OBJECTS];

inline tell_fat(o) {
  assert(!gone[o] && fats[o] == 0);
  fats[o]++
}
inline tell_function(o) {
  assert(!gone[o] && fats[o] == 1 && functions[o] == 0);
  functions[o]++
}

/* Log::append: kept says whether it was written down. */
inline append(record) {
  do
  :: atomic { closed -> kept = false }; break
  :: atomic { !closed && end == RECORDS -> closed; kept = false }; break /* the log is full */
  :: atomic { !closed && end < RECORDS -> place = end };
     if
     :: atomic { head[place] != NOTHING -> taken = false }
     :: atomic { head[place] == NOTHING -> head[place] = WRITING(me); taken = true }
     fi;
     if
     :: atomic { end == place && !closed -> end++ }
     :: atomic { end != place && !closed }
#ifdef TRUST_THE_END
     :: closed
#else
     :: atomic { closed -> kept = false; place = 0; taken = false }; break
#endif
     :: atomic { may_stop && me == 1 && taken -> has_stopped = true; goto stopped }
     fi;
     if
     :: atomic { !taken -> place = 0 }
#ifdef COMPLETE_BLINDLY
     :: taken -> head[place] = record; kept = true; break
#else
     :: atomic { taken && head[place] == WRITING(me) -> head[place] = record; kept = true; place = 0; taken = false };
        break
     :: atomic { taken && head[place] != WRITING(me) -> place = 0; taken = false } /* skipped: once more */
#endif
     :: atomic { may_stop && me == 1 && taken -> has_stopped = true; goto stopped }
     fi
  od
}

/* replay(): closed when it returns. */
inline replay(self) {
  do
  :: closed -> break
  :: atomic { end == 0 && !closed -> closed = true }; break /* nothing was registered */
  :: atomic { !closed && replayer == 0 -> replayer = self };
     position = 0;
     do
     :: position < end ->
        assert(head[position] != NOTHING);
        if
#ifdef WAIT_FOR_APPENDERS
        :: IS_WRITING(head[position]) -> !IS_WRITING(head[position])
#else
        :: atomic { IS_WRITING(head[position]) -> head[position] = SKIPPED; position++ }
#endif
        :: atomic { head[position] == SKIPPED -> position++ }
        :: atomic { head[position] <= FUNCTION + 1 -> object = (head[position] - 1) % OBJECTS };
           if
           :: cancelled[object]
           :: !cancelled[object] ->
              if
              :: head[position] < FUNCTION ->
                 tell_fat(object);
#ifdef FILL_AT_ONCE
                 slot = true; /* a call by the library itself */
#endif
                 real_handle[object] = true
              :: head[position] >= FUNCTION && real_handle[object] -> tell_function(object)
              :: head[position] >= FUNCTION && !real_handle[object]
              fi
           fi;
           position++
        fi
#ifdef CLOSE_BLINDLY
     :: position >= end -> closed = true; break
#else
     :: atomic { position == end -> closed = true }; break
#endif
     od;
     atomic { /* Log::release: late appenders find free words */
       head[0] = NOTHING; head[1] = NOTHING; head[2] = NOTHING; head[3] = NOTHING; head[4] = NOTHING;
       position = 0; object = 0
     };
#ifndef FORGET_TO_WAKE
     finished = true;
#endif
     break
  :: !closed && replayer != 0 -> finished /* sleeps */
  od
}

proctype Object(byte me; bool removed) {
  byte place, position, object;
  bool kept, taken;
  append(FAT + me);
  if
  :: kept
  :: !kept -> tell_fat(me); real_handle[me] = true
  fi;
  append(FUNCTION + me);
  if
  :: kept
  :: !kept && real_handle[me] -> tell_function(me)
  :: !kept && !real_handle[me] -> assert(false) /* the log is closed, so its fat binary is known */
  fi;
  registered[me] = true;
  if
  :: !removed
  :: removed ->
#ifndef CANCEL_LATE
     cancelled[me] = true;
#endif
     if
     :: replayer == 0 && !closed
     :: replayer != 0 || closed ->
#ifndef REMOVE_AT_ONCE
        replay(1 + CALLERS + me);
#endif
        if
        :: real_handle[me] -> removals[me]++
        :: !real_handle[me]
        fi
     fi;
#ifdef CANCEL_LATE
     cancelled[me] = true;
#endif
     gone[me] = true
  fi;
stopped:
  skip
}

proctype Caller(byte me) {
  byte position, object;
  bool before[OBJECTS];
  before[0] = registered[0] && !cancelled[0];
  before[1] = registered[1] && !cancelled[1];
  if
  :: slot
  :: !slot -> replay(1 + me); slot = true
  fi;
  /* Whatever was registered before the call is known to the library when the call goes on. */
  assert(!before[0] || cancelled[0] || functions[0] == 1);
  assert(!before[1] || cancelled[1] || functions[1] == 1)
}

init {
  if
  :: may_stop = true
  :: true
  fi;
  atomic {
    run Caller(0);
    run Caller(1);
    run Object(0, true);
    run Object(1, false)
  }
  _nr_pr == 1; /* all have ended */
  assert(has_stopped || (fats[1] == 1 && functions[1] == 1));
  assert(fats[0] == removals[0])
}
