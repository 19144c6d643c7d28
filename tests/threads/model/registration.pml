/* Registration, replay and removal, for a model checker: every order in which two objects can
 * register and be removed while two threads make their first calls.
 *
 *     python3 tests/threads/model/check.py      (Debian package spin)
 *
 * "errors: 0" means: no thread waits for ever, each fat binary is given to the library
 * once and before its function, nothing is lost between the log's last record and its closing, the
 * library never reads an object that is gone, and no call reaches it before the registrations do, though the library calls
 * the stub from inside them. check.py also breaks the protocol in each of the ways below, and each must be found.
 *
 * One step here is one atomic access there: registration.cc, registration_log.cc, _replay.cc. */

#define OBJECTS 2
#define CALLERS 2
#define RECORDS 4 /* a fat binary and a function of each object */

#define NOTHING 0
#define FAT 1 /* + object */
#define FUNCTION 3

byte reserved = 0; /* Log::reserved_, */
bool closed = false; /* and its closed bit */
byte head[RECORDS];
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
  if
  :: atomic { closed -> kept = false }
  :: atomic { !closed -> place = reserved; reserved++ };
     head[place] = record; /* written last, by another step */
     kept = true
  fi
}

/* replay(): closed when it returns. */
inline replay(self) {
  do
  :: closed -> break
  :: atomic { reserved == 0 && !closed -> closed = true }; break /* nothing was registered */
  :: atomic { !closed && replayer == 0 -> replayer = self };
     position = 0;
     do
     :: position < reserved ->
        head[position] != NOTHING; /* its appender may still be writing */
        object = (head[position] - 1) % OBJECTS;
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
#ifdef CLOSE_BLINDLY
     :: position >= reserved -> closed = true; break
#else
     :: atomic { position == reserved -> closed = true }; break
#endif
     od;
#ifndef FORGET_TO_WAKE
     finished = true;
#endif
     break
  :: !closed && replayer != 0 -> finished /* sleeps */
  od
}

proctype Object(byte me; bool removed) {
  byte place, position, object;
  bool kept;
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
  fi
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
  atomic {
    run Caller(0);
    run Caller(1);
    run Object(0, true);
    run Object(1, false)
  }
  _nr_pr == 1; /* all have ended */
  assert(fats[1] == 1 && functions[1] == 1);
  assert(fats[0] == removals[0])
}
