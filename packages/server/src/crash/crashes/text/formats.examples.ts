// cspell:ignore bugreport choosenim gosu libruby NOENT occured Quellcode ucrt cfunc
// Reports of each format, in the form that engines and runtimes write them. The texts of a cause differ as those of
// several players, builds and systems do, and have the same signature; those of two causes differ.

export type Cause = {
  /** The name of the format. */
  readonly format: string;
  readonly title: string;
  readonly reason: string;
  readonly texts: readonly string[];
};

const RULER = '#'.repeat(92);

export const CAUSES: readonly Cause[] = [
  {
    format: 'Godot',
    title: "SCRIPT ERROR: Invalid access to property or key 'hp' on a base object of type 'Nil'. | player._process",
    reason: 'SCRIPT ERROR',
    texts: [
      `SCRIPT ERROR: Invalid access to property or key 'hp' on a base object of type 'Nil'.
          at: _process (res://actors/player.gd:42)
          GDScript backtrace (most recent call first):
              [0] _process (res://actors/player.gd:42)
              [1] tick (res://world.gd:10)`,
      `[12:00:07] SCRIPT ERROR: Invalid access to property or key 'hp' on a base object of type 'Nil'.\r
   at: Player._process (res://actors/player.gdc:57)\r
`,
      `SCRIPT ERROR: _process: Invalid access to property or key 'hp' on a base object of type 'Nil'.
   At: res://player.gd:40.`,
      `\u001b[1;31mSCRIPT ERROR:\u001b[0;91m Invalid access to property or key 'hp' on a base object of type 'Nil'.\u001b[0m
          \u001b[0;90mat: _process (res://actors/player.gd:42)\u001b[0m`,
    ],
  },
  {
    format: 'Godot',
    title: "SCRIPT ERROR: Invalid access to property or key 'speed' on a base object of type 'Nil'. | player._process",
    reason: 'SCRIPT ERROR',
    texts: [
      `SCRIPT ERROR: Invalid access to property or key 'speed' on a base object of type 'Nil'.
          at: _process (res://actors/player.gd:44)`,
    ],
  },
  {
    format: 'Godot',
    title: 'ERROR: Condition "!is_inside_tree()" is true. Returning: Transform3D() | enemy.aim',
    reason: 'ERROR',
    texts: [
      `ERROR: Condition "!is_inside_tree()" is true. Returning: Transform3D()
   at: get_global_transform (scene/3d/node_3d.cpp:343)
   GDScript backtrace (most recent call first):
       [0] aim (res://enemies/enemy.gd:12)`,
      `ERROR: Condition "!is_inside_tree()" is true. Returning: Transform3D()
   at: get_global_transform (./scene/3d/node_3d.cpp:361)
   GDScript backtrace (most recent call first):
       [0] aim (res://enemies/enemy.gd:15)
       [1] @implicit_ready (res://level.gd:3)`,
    ],
  },
  {
    format: '.NET',
    title: 'NullReferenceException | Owls.Player._Process',
    reason: 'NullReferenceException',
    texts: [
      `ERROR: System.NullReferenceException: Object reference not set to an instance of an object.
   at Owls.Player._Process(Double delta) in /home/ci/owls/Player.cs:line 12
   at Godot.Node.InvokeGodotClassMethod(godot_string_name& method, NativeVariantPtrArgs args) in /root/godot/modules/mono/glue/Node.cs:line 2171
   at: void Godot.NativeInterop.ExceptionUtils.LogException(System.Exception) (/root/godot/modules/mono/glue/ExceptionUtils.cs:113)`,
      `Unbehandelte Ausnahme: System.NullReferenceException: Der Objektverweis wurde nicht auf eine Objektinstanz festgelegt.
   bei Owls.Player._Process(Double delta) in D:\\build 7\\owls\\Player.cs:Zeile 14.`,
      `NullReferenceException: Object reference not set to an instance of an object
  at Owls.Player._Process (System.Double delta) [0x00012] in <3f2a9c11aa334455aa334455aa334455>:0 `,
      `E/Unity   (12345): NullReferenceException: Object reference not set to an instance of an object
E/Unity   (12345):   at Owls.Player._Process (System.Double delta) [0x00000] in <00000000000000000000000000000000>:0 
E/Unity   (12345): `,
      `NullReferenceException: Object reference not set to an instance of an object
Owls.Player._Process (System.Double delta) (at Assets/Scripts/Player.cs:12)
UnityEngine.SetupCoroutine:InvokeMoveNext(IEnumerator, IntPtr)`,
      `01-31 12:00:00.123  1234  1250 E Unity   : NullReferenceException
01-31 12:00:00.123  1234  1250 E Unity   : Owls.Player._Process (System.Double delta)
01-31 12:00:00.124  1234  1250 E Unity   : 
01-31 12:00:00.124  1234  1250 E Unity   : (Filename: Assets/Scripts/Player.cs Line: 12)`,
    ],
  },
  {
    format: '.NET',
    title: 'InvalidOperationException: No level <n> | Owls.Level.Load',
    reason: 'InvalidOperationException',
    texts: [
      `Unhandled exception. System.TypeInitializationException: The type initializer for 'Owls.Game' threw an exception.
 ---> System.InvalidOperationException: No level 7
   at Owls.Level.Load(String name) in /src/Level.cs:line 12
   --- End of inner exception stack trace ---
   at Owls.Game.<RunAsync>d__5.MoveNext() in /src/Game.cs:line 30
--- End of stack trace from previous location ---
   at Owls.Program.Main()`,
      `System.Reflection.TargetInvocationException: Exception has been thrown by the target of an invocation. ---> System.InvalidOperationException: No level 12
   at Owls.Level.Load(String name)
   --- End of inner exception stack trace ---
   at System.RuntimeMethodHandle.InvokeMethod(Object target)`,
      `InvalidOperationException: No level 3
Owls.Level.Load (System.String name) (at <3f2a9c11aa334455aa334455aa334455>:0)
Rethrow as TargetInvocationException: Exception has been thrown by the target of an invocation.
System.Reflection.MonoMethod.Invoke (System.Object obj) (at <aa>:0)`,
    ],
  },
  {
    format: '.NET',
    title: 'ArgumentException: The owl is asleep | Owls.Nest.Wake',
    reason: 'ArgumentException',
    texts: [
      `ArgumentException: The owl is asleep
  at Owls.Nest+<Wake>d__4.MoveNext () [0x00000] in <00000000000000000000000000000000>:0 
  at UnityEngine.SetupCoroutine.InvokeMoveNext (System.Collections.IEnumerator enumerator, System.IntPtr returnValueAddress) [0x00000] in <00000000000000000000000000000000>:0 `,
      `System.ArgumentException: The owl is asleep
   at Owls.Nest.<Wake>d__6.MoveNext() in C:\\Users\\Ann\\owls\\Nest.cs:line 9
--- End of stack trace from previous location ---`,
    ],
  },
  {
    format: 'Godot crash handler',
    title: 'SIGSEGV | Owl::fly',
    reason: 'SIGSEGV',
    texts: [
      `================================================================
handle_crash: Program crashed with signal 11
Engine version: Godot Engine v4.2.1.stable.official (b09f793f564a6c95dc76acc654b390e68441bd01)
Dumping the backtrace. Please include this when reporting the bug to the project developer.
[1] Owl::fly(Vector3 const&, float) (/home/ci/owls/owl.cpp:23)
[2] /lib/x86_64-linux-gnu/libc.so.6(__libc_start_main+0x80) [0x7f020be03210] (??:0)
-- END OF BACKTRACE --`,
      `handle_crash: Program crashed with signal 11
Dumping the backtrace. Please include this when reporting the bug to the project developer.
Load address: 100230000

[ 1] 1017a088c - Owl::fly(Vector3 const&, float) (in owls) + 104
-- END OF C++ BACKTRACE --`,
      `CrashHandlerException: Program crashed with signal 11
Engine version: Godot Engine v4.4.1.stable.official (49a5bc7b616bd04689a2c89e89bda41f50241464)
[0] Owl::fly (C:\\ci\\owls\\owl.cpp:25)
[1] Couldn't map PC to fn name
-- END OF BACKTRACE --`,
    ],
  },
  {
    format: 'Godot crash handler',
    title: 'SIGSEGV | owl.fly',
    reason: 'SIGSEGV',
    texts: [
      `CrashHandlerException: Program crashed with signal 11
Engine version: Godot Engine v4.5.1.stable.official (f62fdbde15035c5576dad93e586201f4d41ef0cb)
[1] error(-1): no debug info in PE/COFF executable
[2] error(-1): no debug info in PE/COFF executable
-- END OF C++ BACKTRACE --
================================================================
GDScript backtrace (most recent call first):
    [0] fly (res://owl.gd:12)
-- END OF GDScript BACKTRACE --`,
    ],
  },
  {
    format: 'Unity crash',
    title: 'Crash | Player_Update',
    reason: 'Crash',
    texts: [
      `========== OUTPUTTING STACK TRACE ==================

0x00007FFB1A2B3C4D (UnityPlayer) UnityMain
0x00007FFB1A2B3C4D (GameAssembly) Player_Update_m0123456789ABCDEF0123456789ABCDEF01234567
0x00007FFB1A2B3C4D (kernel32) BaseThreadInitThunk

========== END OF STACKTRACE ===========`,
      `Crash!!!
SymInit: Symbol-SearchPath: 'D:/Owls/Owls_Data;.', symOptions: 534, UserName: 'ann'
========== OUTPUTTING STACK TRACE ==================

0x00007FF93A2B3C4D (UnityPlayer) UnityMain
  ERROR: SymGetSymFromAddr64, GetLastError: 'Attempt to access invalid address.' (Address: 00007FF9)
0x00007FF93A2B3C4E (GameAssembly) Player_Update_mFEDCBA9876543210FEDCBA9876543210FEDCBA98

========== END OF STACKTRACE ===========`,
    ],
  },
  {
    format: 'Unity crash',
    title: 'SIGSEGV | Owls::Plugin::run',
    reason: 'SIGSEGV',
    texts: [
      `Caught fatal signal - signo:11 code:1 errno:0 addr:(nil)
Obtained 2 stack frames.
#0  0x007f3c4d5e6f in Owls::Plugin::run(int)
#1  0x007f3c4d5e6f in (Unknown)`,
    ],
  },
  {
    format: 'Unity crash',
    title: 'SIGSEGV | Owls.Nest.Land',
    reason: 'SIGSEGV',
    texts: [
      `=================================================================
	Native Crash Reporting
=================================================================
Got a SIGSEGV while executing native code. This usually indicates
a fatal error in the mono runtime or one of the native libraries 
used by your application.
=================================================================

=================================================================
	Managed Stacktrace:
=================================================================
	  at <unknown> <0xffffffff>
	  at UnityEngine.Mesh:SetTriangles_Internal <0x00109>
	  at Owls.Nest:Land (int) <0x0020a>
	  at Owls.Level:Update () <0x0010b>
=================================================================`,
    ],
  },
  {
    format: '.NET',
    title: 'Stack overflow | Owls.Nest.Land',
    reason: 'Stack overflow',
    texts: [
      `Stack overflow.
Repeat 9000 times:
--------------------------------
   at Owls.Nest.Land(Int32)
--------------------------------
   at Owls.Program.Main()`,
    ],
  },
  {
    format: '.NET',
    title: 'Process terminated: Assertion failed. | Owls.Nest.Land',
    reason: 'Process terminated',
    texts: [
      `Process terminated. Assertion failed.
no egg
   at Owls.Nest.Land(Int32 index) in /src/owls/Nest.cs:line 12`,
    ],
  },
  {
    format: '.NET',
    title: '0xC0000005 | Owls.Nest.Land',
    reason: '0xC0000005',
    texts: ['Fatal error. 0xC0000005\n   at System.Runtime.Copy(IntPtr)\n   at Owls.Nest.Land(Int32)'],
  },
  {
    format: 'Python',
    title: 'Fatal Python error: Segmentation fault | net.poll',
    reason: 'Fatal Python error',
    texts: [
      `Fatal Python error: Segmentation fault

Thread 0x00007f3c4d5e6000 (most recent call first):
  File "/usr/lib/python3.12/threading.py", line 359 in wait

Current thread 0x00007f3c4d5e6f10 (most recent call first):
  File "/src/owls/net.py", line 31 in poll
  File "/src/owls/main.py", line 9 in <module>`,
    ],
  },
  {
    format: 'Lua',
    title: 'Lua error: attempt to index a nil value | nest.land',
    reason: 'Lua error',
    texts: ["nest/init.lua:45: attempt to index a nil value\nstack traceback:\n\tnest/init.lua:45: in function 'land'"],
  },
  {
    format: 'Java VM crash',
    title: 'SIGSEGV | alcOpenDevice',
    reason: 'SIGSEGV',
    texts: [
      `#
# A fatal error has been detected by the Java Runtime Environment:
#
#  SIGSEGV (0xb) at pc=0x00007f3c4d5e6f10, pid=1234, tid=1240
#
# JRE version: OpenJDK Runtime Environment (21.0.1+12) (build 21.0.1+12-29)
# Problematic frame:
# C  [libowls.so+0x2f1c]  alcOpenDevice+0x20
#`,
    ],
  },
  {
    format: 'Java VM crash',
    title: 'EXCEPTION_ACCESS_VIOLATION | owls.Nest.land',
    reason: 'EXCEPTION_ACCESS_VIOLATION',
    texts: [
      `# A fatal error has been detected by the Java Runtime Environment:
#
#  EXCEPTION_ACCESS_VIOLATION (0xc0000005) at pc=0x000001c2d3e4f506, pid=1234, tid=5678
#
# Problematic frame:
# J 1234 c2 owls.Nest.land(I)V (12 bytes) @ 0x000001c2d3e4f506 [0x000001c2d3e4f4e0+0x26]
#`,
    ],
  },
  {
    format: 'Unreal Engine',
    title: 'EXCEPTION_ACCESS_VIOLATION | AOwl::Tick',
    reason: 'EXCEPTION_ACCESS_VIOLATION',
    texts: [
      `[2024.01.02-03.04.05:678][123]LogWindows: Error: === Critical error: ===
[2024.01.02-03.04.05:678][123]LogWindows: Error: 
[2024.01.02-03.04.05:678][123]LogWindows: Error: Fatal error!
[2024.01.02-03.04.05:678][123]LogWindows: Error: 
[2024.01.02-03.04.05:678][123]LogWindows: Error: Unhandled Exception: EXCEPTION_ACCESS_VIOLATION reading address 0x0000000000000010
[2024.01.02-03.04.05:678][123]LogWindows: Error: 
[2024.01.02-03.04.05:678][123]LogWindows: Error: [Callstack] 0x00007ff612345678 Owls-Win64-Shipping.exe!AOwl::Tick() [C:\\ci\\Owls\\Source\\Owl.cpp:123]
[2024.01.02-03.04.05:678][123]LogWindows: Error: [Callstack] 0x00007ff612345678 kernel32.dll!UnknownFunction []`,
      `Unhandled Exception: EXCEPTION_ACCESS_VIOLATION writing address 0x0000000000000018

Owls_Win64_Test!AOwl::Tick() [D:\\agent\\Owls\\Source\\Owl.cpp:131]
kernel32`,
    ],
  },
  {
    format: 'Unreal Engine',
    title: 'Assertion failed: Index >= <n> | AOwl::Hunt',
    reason: 'Assertion failed',
    texts: [
      `Assertion failed: Index >= 0 [File:D:\\build\\Runtime\\Array.h] [Line: 674] 

Owls!AOwl::Hunt() [C:\\ci\\Owls\\Source\\Owl.cpp:12]`,
      `[2021.04.21-04.37.21:762][212]LogCore: Error: appError called: Assertion failed: Index >= 0 [File:/b/Array.h] [Line: 690] 
[Callstack]  00  0x00007f43b2d02cff  FLinuxPlatformStackWalk::CaptureStackBackTrace(unsigned long long*, unsigned int, void*)
[Callstack]  01  0x00007fd7774bf768  AOwl::Hunt() [/home/ci/Owl.cpp, line 12]`,
    ],
  },
  {
    format: "Ren'Py",
    title: "NameError: name 'owl_mood' is not defined | day.module",
    reason: 'NameError',
    texts: [
      `I'm sorry, but an uncaught exception occurred.

While running game code:
  File "game/script.rpy", line 12, in script call
    call start_day
  File "game/day.rpy", line 3, in <module>
NameError: name 'owl_mood' is not defined

-- Full Traceback ------------------------------------------------------------

Full traceback:
  File "game/script.rpy", line 12, in script call
    call start_day
  File "/home/ann/owls/renpy/ast.py", line 900, in execute
    renpy.python.py_exec_bytecode(self.code.bytecode, self.hide, store=self.store)
  File "game/day.rpy", line 3, in <module>
NameError: name 'owl_mood' is not defined

Windows-10-10.0.19041 AMD64
Ren'Py 8.1.1.23060707`,
      `I'm sorry, but an uncaught exception occurred.

While running game code:
  File "game/day.rpyc", line 5, in <module>
NameError: name 'owl_mood' is not defined`,
    ],
  },
  {
    format: "Ren'Py",
    title: "ScriptError: could not find label 'evening'. | day.script",
    reason: 'ScriptError',
    texts: [
      `I'm sorry, but an uncaught exception occurred.

While running game code:
  File "game/day.rpy", line 30, in script
    jump evening
ScriptError: could not find label 'evening'.`,
    ],
  },
  {
    format: 'Python',
    title: 'ValueError: bad packet <n> | net.poll',
    reason: 'ValueError',
    texts: [
      `  + Exception Group Traceback (most recent call last):
  |   File "/src/owls/main.py", line 9, in <module>
  |     asyncio.run(run())
  |   File "/usr/lib/python3.12/asyncio/runners.py", line 194, in run
  |     return runner.run(main)
  | ExceptionGroup: unhandled errors in a TaskGroup (1 sub-exception)
  +-+---------------- 1 ----------------
    | Traceback (most recent call last):
    |   File "/src/owls/net.py", line 31, in poll
    |     raise ValueError(f'bad packet {number}')
    | ValueError: bad packet 12
    +------------------------------------`,
      `  + Exception Group Traceback (most recent call last):
  |   File "/home/ann/owls/main.py", line 12, in <module>
  | ExceptionGroup: unhandled errors in a TaskGroup (2 sub-exceptions)
  +-+---------------- 1 ----------------
    | Exception Group Traceback (most recent call last):
    |   File "/home/ann/owls/lobby.py", line 7, in join
    | ExceptionGroup: unhandled errors in a TaskGroup (1 sub-exception)
    +-+---------------- 1 ----------------
      | Traceback (most recent call last):
      |   File "/home/ann/owls/net.py", line 33, in poll
      | ValueError: bad packet 7
      +------------------------------------
    +---------------- 2 ----------------
    | Traceback (most recent call last):
    |   File "/home/ann/owls/chat.py", line 3, in read
    | OSError: closed
    +------------------------------------`,
    ],
  },
  {
    format: 'Python',
    title: "KeyError: 'sword' | player.equip",
    reason: 'KeyError',
    texts: [
      `Traceback (most recent call last):
  File "C:\\Users\\Ann\\owls\\main.py", line 8, in <module>
    player.equip("sword")
  File "C:\\Users\\Ann\\owls\\player.py", line 30, in equip
    item = self.items[name]
           ~~~~~~~~~~^^^^^^
KeyError: 'sword'`,
      `2024-01-31 12:00:00,123 ERROR owls: failed
Traceback (most recent call last):
  File "/opt/owls/main.py", line 9, in main
  File "/opt/owls/player.py", line 33, in equip
KeyError: 'sword'`,
    ],
  },
  {
    format: 'Python',
    title: "KeyError: 'shield' | player.equip",
    reason: 'KeyError',
    texts: [
      `Traceback (most recent call last):
  File "/opt/owls/player.py", line 33, in equip
KeyError: 'shield'

The above exception was the direct cause of the following exception:

Traceback (most recent call last):
  File "/opt/owls/main.py", line 9, in main
    raise GameError("slot 4 is broken") from error
owls.GameError: slot 4 is broken`,
    ],
  },
  {
    format: 'Lua',
    title: "Lua error: attempt to index global 'player' (a nil value) | main.update",
    reason: 'Lua error',
    texts: [
      `Error

main.lua:12: attempt to index global 'player' (a nil value)


Traceback

[love "callbacks.lua"]:228: in function 'handler'
main.lua:12: in function 'update'
[love "callbacks.lua"]:162: in function <[love "callbacks.lua"]:144>
[C]: in function 'xpcall'`,
      `Error: main.lua:15: attempt to index global 'player' (a nil value)
stack traceback:
	[string "boot.lua"]:777: in function <[string "boot.lua"]:773>
	main.lua:15: in function 'update'
	[string "boot.lua"]:618: in function <[string "boot.lua"]:594>
	[C]: in function 'xpcall'`,
    ],
  },
  {
    format: 'Lua',
    title: 'Lua error: no owl in nest <n> | owl.fly',
    reason: 'Lua error',
    texts: [
      `lua: src/owl.lua:3: no owl in nest 7
stack traceback:
	[C]: in function 'error'
	src/owl.lua:3: in method 'fly'
	main.lua:7: in main chunk
	[C]: in ?`,
      `ERROR:SCRIPT: /src/owl.lua:5: no owl in nest 2
stack traceback:
  [C]:-1: in function error
  /src/owl.lua:5: in function fly
  /main/main.script:9: in function </main/main.script:8>`,
    ],
  },
  {
    format: 'GameMaker',
    title:
      'GameMaker error: Variable obj_player.hp(<n>, <n>) not set before reading it. | gml_Object_obj_player_Step_0',
    reason: 'GameMaker error',
    texts: [
      `___________________________________________
${RULER}
FATAL ERROR in
action number 1
of  Step Event0
for object obj_player:

Variable obj_player.hp(100023, -2147483648) not set before reading it.
 at gml_Object_obj_player_Step_0 (line 12) -        hp -= 1
${RULER}
--------------------------------------------------------------------------------------------
stack frame is
gml_Object_obj_player_Step_0 (line 12)`,
      `ERROR!!! :: ${RULER}
ERROR in action number 1
of  Step Event0 for object obj_player:
Variable obj_player.hp(100451, -2147483648) not set before reading it.
at gml_Object_obj_player_Step_0
${RULER}
gml_Object_obj_player_Step_0 (line -1)`,
    ],
  },
  {
    format: 'GameMaker',
    title:
      "GameMaker error: Unable to find any instance for object index '<n>' name 'obj_title' | gml_Room_rm_title_Create",
    reason: 'GameMaker error',
    texts: [
      `ERROR in
action number 1
of PreCreate Event
for object obj_boost:

Unable to find any instance for object index '308' name 'obj_title'
 at gml_Room_rm_title_Create (line 15) - obj_title.mode = 3;
${RULER}
gml_Room_rm_title_Create (line 15)
called from - gml_Script_scr_start (line 3) - room_goto(rm_title)`,
    ],
  },
  {
    format: 'RPG Maker',
    title: "NoMethodError: undefined method `foo' for nil:NilClass | Game_Player",
    reason: 'NoMethodError',
    texts: [
      `Script 'Game_Player' line 123: NoMethodError occurred.

undefined method \`foo' for nil:NilClass`,
      "Script 'Game_Player' line 130: NoMethodError occurred. undefined method `foo' for nil:NilClass",
    ],
  },
  {
    format: 'RPG Maker',
    title: 'Errno::ENOENT: No such file or directory - owl.png | Cache',
    reason: 'Errno::ENOENT',
    texts: [
      `Script 'Cache' line 88: Errno::ENOENT occurred.

No such file or directory - Graphics/Characters/owl.png`,
    ],
  },
  {
    format: 'Ruby',
    title: "NoMethodError: undefined method `x' for nil:NilClass | game.fly",
    reason: 'NoMethodError',
    texts: [
      `game.rb:12:in \`fly': undefined method \`x' for nil:NilClass (NoMethodError)
	from game.rb:20:in \`<main>'`,
      `/opt/owls/game.rb:14:in \`block in fly': undefined method \`x' for nil:NilClass (NoMethodError)
	from /usr/lib/ruby/3.0.0/set.rb:2:in \`each'
	from /opt/owls/game.rb:22:in \`<main>'`,
    ],
  },
  {
    format: 'Ruby',
    title: 'ArgumentError: no nest | Owl#land',
    reason: 'ArgumentError',
    texts: ["owl.rb:3:in 'Owl#land': no nest (ArgumentError)\n\tfrom owl.rb:9:in '<main>'"],
  },
  {
    format: 'JavaScript',
    title: "TypeError: no object for 'hp' | player.update",
    reason: 'TypeError',
    texts: [
      `TypeError: Cannot read properties of undefined (reading 'hp')
    at Player.update (https://owls.example/assets/player-BxQ12fZk.js:1:2345)
    at t.e (https://owls.example/assets/player-BxQ12fZk.js:1:99)`,
      // Hashes of Vite may have any letters, and dashes.
      ...['player-BxQaxZfK', 'player-D_91kd-p', 'player-k3x9v0pz'].map(
        (name) => `TypeError: Cannot read properties of undefined (reading 'hp')
    at Player.update (https://owls.example/assets/${name}.js:1:2345)`,
      ),
      `Uncaught TypeError: Cannot read property 'hp' of undefined
    at Object.update [as tick] (file:///C:/Users/Ann/Owls/resources/app.asar/player.js:40:7)
    at node:internal/timers:1:2`,
      `TypeError: undefined is not an object (evaluating 'this.target.hp')
update@https://cdn.example/v2/player.4f3a21bc.js:1:2345
e@https://cdn.example/v2/player.4f3a21bc.js:1:99
[native code]`,
      `undefined is not an object (evaluating 'this.target.hp')
update@https://cdn.example/v2/player.4f3a21bc.js:1:2345`,
      `TypeError: can't access property "hp", this.target is undefined
update@https://cdn.example/v2/player.js?v=7:40:7
setTimeout handler*start@https://cdn.example/v2/player.js?v=7:2:1`,
    ],
  },
  {
    format: 'JavaScript',
    title: "TypeError: no object for 'mp' | player.update",
    reason: 'TypeError',
    texts: [
      `TypeError: Cannot read properties of null (reading 'mp')
    at Player.update (https://owls.example/assets/player-BxQ12fZk.js:1:2400)`,
    ],
  },
  {
    format: 'JavaScript',
    title: "TypeError: no object for 'gainItem' | OwlQuest.giveOwl",
    reason: 'TypeError',
    texts: [
      `TypeError: Cannot read property 'gainItem' of undefined
    at Game_Interpreter.updateChild (file:///C:/Games/Owls/www/js/rpg_objects.js:8846:10)
    at OwlQuest.giveOwl (file:///C:/Games/Owls/www/js/plugins/OwlQuest.js:3:4)`,
      `TypeError: Cannot read property 'gainItem' of null
    at Game_Interpreter.updateChild (chrome-extension://ioenohhgncljafmlnhomdohmhcalmpkp/js/rpg_objects.js:9001:10)
    at giveOwl (chrome-extension://ioenohhgncljafmlnhomdohmhcalmpkp/js/plugins/OwlQuest.js:8:4)`,
    ],
  },
  {
    format: 'JavaScript',
    title: 'Error: nest is full | nest.add',
    reason: 'Error',
    texts: [
      `Error: could not save
    at saveGame (webpack:///./src/save.js?f00d:12:3) {
  [cause]: Error: nest is full
      at Nest.add (webpack:///./src/nest.js?beef:3:4)
}`,
      `AggregateError: All promises were rejected
    at async Promise.any (index 0) {
  [errors]: [
    Error: nest is full
        at Nest.add (/home/ann/owls/src/nest.js:5:6),
    TypeError: x is not a function
        at go (/home/ann/owls/src/go.js:1:2)
  ]
}`,
    ],
  },
  {
    format: 'Java',
    title: 'NullPointerException | com.owls.Level.init',
    reason: 'NullPointerException',
    texts: [
      `Exception in thread "main" java.lang.RuntimeException: Could not load level 3
	at com.owls.Game.load(Game.java:20)
	at com.owls.Game.main(Game.java:5)
Caused by: java.lang.NullPointerException: Cannot invoke "Owl.fly()" because "<local1>" is null
	at com.owls.Level.<init>(Level.java:9)
	at com.owls.Game.load(Game.java:18)
	... 1 more`,
      `01-31 12:00:00.123  1234  1234 E AndroidRuntime: FATAL EXCEPTION: main
01-31 12:00:00.123  1234  1234 E AndroidRuntime: Process: com.owls, PID: 1234
01-31 12:00:00.123  1234  1234 E AndroidRuntime: java.lang.NullPointerException: Attempt to invoke virtual method 'void Owl.fly()' on a null object reference
01-31 12:00:00.123  1234  1234 E AndroidRuntime: 	at com.owls.Level.<init>(SourceFile:12)
01-31 12:00:00.123  1234  1234 E AndroidRuntime: 	at android.os.Handler.dispatchMessage(Handler.java:106)`,
      `E/AndroidRuntime: FATAL EXCEPTION: main
E/AndroidRuntime: Process: com.owls, PID: 1234
E/AndroidRuntime: java.lang.NullPointerException: Attempt to invoke virtual method 'void Owl.fly()' on a null object reference
E/AndroidRuntime: 	at com.owls.Level.<init>(SourceFile:12)
E/AndroidRuntime: 	at android.os.Handler.dispatchMessage(Handler.java:106)`,
      `[12:00:00] [Render thread/ERROR]: Reported exception thrown!
java.lang.NullPointerException: null
	at com.owls.Level.<init>(Level.java:11) ~[owls-1.2.jar:?]
	at java.util.ArrayList.forEach(ArrayList.java:1511) ~[?:?]
	Suppressed: java.io.IOException: closed
		at com.owls.Level.close(Level.java:40)
		... 2 more`,
    ],
  },
  {
    format: 'Java',
    title: 'IllegalStateException: owl <n> is asleep | com.owls.Nest.lambda$wake',
    reason: 'IllegalStateException',
    texts: [
      `java.lang.IllegalStateException: owl 12 is asleep
	at com.owls.Nest.lambda$wake$0(Nest.kt:14)
	at kotlin.collections.CollectionsKt.forEach(Collections.kt:1)`,
      `java.lang.IllegalStateException: owl 7 is asleep
	at com.owls.Nest.lambda$wake$3(Nest.kt:19)
	at com.owls.Nest.wake(Nest.kt:8)`,
    ],
  },
  {
    format: 'Rust',
    title: 'panic: index out of bounds: the len is <n> but the index is <n> | owls::owl::Owl::fly',
    reason: 'panic',
    texts: [
      `thread 'main' panicked at 'index out of bounds: the len is 3 but the index is 5', src/owl.rs:12:5
stack backtrace:
   0: rust_begin_unwind
             at /rustc/5680fa18feaa87f3ff04063800aec256c3d4b4be/library/std/src/panicking.rs:593:5
   1: core::panicking::panic_fmt
             at /rustc/5680fa18feaa87f3ff04063800aec256c3d4b4be/library/core/src/panicking.rs:67:14
   2: owls::owl::Owl::fly
             at ./src/owl.rs:12:5
   3: owls::main
             at ./src/main.rs:3:5`,
      `thread 'Compute Task Pool (3)' (4211) panicked at C:\\ci\\owls\\src\\owl.rs:14:9:
index out of bounds: the len is 8 but the index is 9
stack backtrace:
   0:     0x7ff6a1b2c3d4 - std::panicking::begin_panic_handler
                               at /rustc/90b35a6239c3d8bdabc530a6a0816f7ff89a0aaf/library\\std\\src\\panicking.rs:665
   1:     0x7ff6a1b2c3d5 - owls::owl::Owl::fly::h0123456789abcdef
                               at C:\\ci\\owls\\src\\owl.rs:14
   2:     0x7ff6a1b2c3d6 - bevy_ecs::system::function_system::run
                               at C:\\Users\\ann\\.cargo\\registry\\src\\index\\bevy_ecs\\src\\lib.rs:1`,
    ],
  },
  {
    format: 'Rust',
    title: 'panic: called `Option::unwrap()` on a `None` value | nest',
    reason: 'panic',
    texts: [
      `thread 'main' panicked at src/nest.rs:12:5:
called \`Option::unwrap()\` on a \`None\` value
note: run with \`RUST_BACKTRACE=1\` environment variable to display a backtrace`,
      "panicked at 'called `Option::unwrap()` on a `None` value', /home/ann/owls/src/nest.rs:14:9",
    ],
  },
  {
    format: 'Go',
    title: 'runtime error: index out of range [<n>] with length <n> | main.(*Owl).Fly',
    reason: 'runtime error',
    texts: [
      `panic: runtime error: index out of range [5] with length 3

goroutine 1 [running]:
main.(*Owl).Fly(0xc000012345, 0x5)
	/home/ci/owls/owl.go:12 +0x1d
main.main()
	/home/ci/owls/main.go:3 +0x1d`,
      `panic: runtime error: index out of range [9] with length 8 [recovered]

goroutine 34 [running, locked to thread]:
runtime.panicIndex()
	/usr/local/go/src/runtime/panic.go:114 +0x1d
main.(*Owl).Fly(...)
	C:/ci/owls/owl.go:14`,
    ],
  },
  {
    format: 'Rust',
    title: 'panic: no nest | combat',
    reason: 'panic',
    texts: ["thread 'main' panicked at src/combat/mod.rs:10:5:\nno nest"],
  },
  {
    format: 'Go',
    title: 'panic: no nest | main.Land',
    reason: 'panic',
    texts: ['panic: no nest\n\ngoroutine 1 [running]:\nmain.Land({0x1, 0x2})\n\t/src/land.go:3 +0x1d'],
  },
  {
    format: 'Swift',
    title: 'Fatal error: Unexpectedly found nil while unwrapping an Optional value | Owl',
    reason: 'Fatal error',
    texts: [
      'Owls/Owl.swift:12: Fatal error: Unexpectedly found nil while unwrapping an Optional value',
      'Fatal error: Unexpectedly found nil while unwrapping an Optional value: file /Users/ann/owls/Owl.swift, line 14',
    ],
  },
  {
    format: 'Swift',
    title: 'Fatal error: Index out of range | Nest',
    reason: 'Fatal error',
    texts: ['Owls/Nest.swift:3: Fatal error: Index out of range'],
  },
  {
    format: 'Swift',
    title: 'Fatal error: Index out of range | Nest.land',
    reason: 'Fatal error',
    texts: [
      `Swift/ContiguousArrayBuffer.swift:600: Fatal error: Index out of range

*** Program crashed: System trap at 0x00007f8b2c1d4a30 ***

Platform: x86_64 Linux (Ubuntu 24.04 LTS)

Thread 0 "Owls" crashed:

0               0x00007f8b2c1d4a30 _assertionFailure(_:_:file:line:flags:) + 244 in libswiftCore.so
1 [ra]          0x00007f8b2c1d0000 _ContiguousArrayBuffer._checkValidSubscript(_:) + 60 in libswiftCore.so
2 [ra]          0x000055d0c4a2f1b0 Nest.land(at:) + 80 in Owls at /home/ann/owls/Nest.swift:31:20

    29\u2502   func land(at index: Int) {
    31\u2502     let egg = eggs[index]
      \u2502               \u25b2

3 [ra] [system] 0x000055d0c4a2f000 static Main.$main() + 10 in Owls at /<compiler-generated>`,
      `Fatal error: Index out of range: file Swift/ContiguousArrayBuffer.swift, line 444
Current stack trace:
0    libswiftCore.so                    0x00007f1b9a0b2a50 _swift_stdlib_reportFatalErrorInFile + 112
1    libswiftCore.so                    0x00007f1b99d9a8c4 <unavailable> + 1444036
2    Owls                               0x000056480e0f2b20 Nest.land(at:) + 95
3    Owls                               0x000056480e0f2a00 main + 12`,
    ],
  },
  {
    format: 'Android tombstone',
    title: 'SIGSEGV | memcpy | Owl::fly',
    reason: 'SIGSEGV / SEGV_MAPERR',
    texts: [
      `*** *** *** *** *** *** *** *** *** *** *** *** *** *** *** ***
Build fingerprint: 'google/panther/panther:14/UP1A/1234:user/release-keys'
pid: 1234, tid: 1250, name: UnityMain  >>> com.owls <<<
signal 11 (SIGSEGV), code 1 (SEGV_MAPERR), fault addr 0x10
Cause: null pointer dereference
    x0  0000000000000000  x1  0000007b1c2d3e4f
backtrace:
      #00 pc 00000000000a1b2c  /apex/com.android.runtime/lib64/bionic/libc.so (memcpy+12) (BuildId: 4f3a)
      #01 pc 00000000000b1b2c  /data/app/~~x==/com.owls-1==/lib/arm64/libowls.so (Owl::fly(int)+12) (BuildId: 5e)`,
      `01-31 12:00:00.123 F/DEBUG   ( 999): signal 11 (SIGSEGV), code 1 (SEGV_MAPERR), fault addr 0x7b10
01-31 12:00:00.123 F/DEBUG   ( 999): backtrace:
01-31 12:00:00.123 F/DEBUG   ( 999):     #00 pc 0000000000021b2c  /system/lib/libc.so (memcpy+8)
01-31 12:00:00.123 F/DEBUG   ( 999):     #01 pc 0000000000331b2c  /data/app/com.owls-2/base.apk!libowls.so (offset 0x1000) (Owl::fly(int)+44)`,
    ],
  },
  {
    format: 'Android tombstone',
    title: 'SIGABRT: nest <n> is full | Nest::add',
    reason: 'SIGABRT',
    texts: [
      `signal 6 (SIGABRT), code -1 (SI_QUEUE), fault addr --------
Abort message: 'nest 12 is full'
backtrace:
      #00 pc 00000000000a1b2c  /apex/com.android.runtime/lib64/bionic/libc.so (abort+12)
      #01 pc 00000000000b1b2c  /data/app/x/lib/arm64/libowls.so (Nest::add(Owl*)+12)`,
    ],
  },
  {
    format: 'Apple crash report',
    title: 'EXC_BAD_ACCESS | memmove | -[Owl fly:]',
    reason: 'EXC_BAD_ACCESS',
    texts: [
      `Process:               Owls [123]
Exception Type:        EXC_BAD_ACCESS (SIGSEGV)
Exception Codes:       KERN_INVALID_ADDRESS at 0x0000000000000010

Thread 0 Crashed:: Dispatch queue: com.apple.main-thread
0   libsystem_platform.dylib      	    0x1804dcad8 _platform_memmove + 8
1   Owls                          	    0x1025d4b34 -[Owl fly:] + 12 (Owl.m:34)
2   Owls                          	    0x1025d4b34 0x1025d0000 + 19252`,
    ],
  },
  {
    format: 'Apple crash report',
    title: 'EXC_CRASH: nest is full | Nest::add',
    reason: 'EXC_CRASH / SIGABRT',
    texts: [
      `{"app_name":"Owls","bug_type":"309","os_version":"iPhone OS 17.4"}
{"exception":{"type":"EXC_CRASH","signal":"SIGABRT"},"faultingThread":0,"asi":{"libsystem_c.dylib":["nest is full"]},
"threads":[{"frames":[{"imageOffset":1234,"symbol":"abort","imageIndex":0},{"imageOffset":77,"symbol":"Nest::add(Owl*)","imageIndex":1,"sourceFile":"nest.cpp","sourceLine":3}]}],
"usedImages":[{"name":"libsystem_c.dylib","path":"/usr/lib/system/libsystem_c.dylib"},{"name":"Owls","path":"/private/var/containers/Bundle/Application/4F3A/Owls.app/Owls"}]}`,
    ],
  },
  {
    format: 'Objective-C exception',
    title: 'NSInvalidArgumentException: -[Owl land]: unrecognized selector sent to instance <addr> | -[Game tick]',
    reason: 'NSInvalidArgumentException',
    texts: [
      `2024-01-31 12:00:00.123 Owls[123:456] *** Terminating app due to uncaught exception 'NSInvalidArgumentException', reason: '-[Owl land]: unrecognized selector sent to instance 0x600001'
*** First throw call stack:
(
	0   CoreFoundation                      0x00000001804ae138 __exceptionPreprocess + 172
	1   Owls                                0x0000000100003f24 -[Game tick] + 44
)`,
      `*** Terminating app due to uncaught exception 'NSInvalidArgumentException', reason: '-[Owl land]: unrecognized selector sent to instance 0x60abc1'
*** First throw call stack:
(
	0   CoreFoundation                      0x00000001904ae138 __exceptionPreprocess + 164
	1   Owls                                0x0000000104003f24 -[Game tick] + 48
)`,
    ],
  },
  {
    format: 'Native crash',
    title: 'AddressSanitizer: heap-use-after-free | Owl::fly',
    reason: 'AddressSanitizer: heap-use-after-free',
    texts: [
      `==7==ERROR: AddressSanitizer: heap-use-after-free on address 0x602000000010 at pc 0x0000004f
READ of size 4 at 0x602000000010 thread T0
    #0 0x4f1234 in Owl::fly(int) /home/ci/owls/src/owl.cpp:12:3
    #1 0x4f1234 in main /home/ci/owls/src/main.cpp:2:1`,
      `=================================================================
==9123==ERROR: AddressSanitizer: heap-use-after-free on address 0x603000000040 at pc 0x00000051 bp 0x7ffd
WRITE of size 8 at 0x603000000040 thread T3
    #0 0x511234 in Owl::fly(int) (/opt/owls/owls+0x511234) (BuildId: 4f3a)`,
    ],
  },
  {
    format: 'Native crash',
    title: 'Assertion failed: nest != nullptr | Owl::land',
    reason: 'Assertion failed',
    texts: [
      "owls: /home/ci/owls/src/owl.cpp:12: void Owl::land(): Assertion `nest != nullptr' failed.",
      "owls.x86_64: ../src/owl.cpp:31: void Owl::land(): Assertion `nest != nullptr' failed.\nAborted (core dumped)",
    ],
  },
  {
    format: 'Dart',
    title: 'StateError: No element | Owl.fly',
    reason: 'StateError',
    texts: [
      `Unhandled exception:
StateError: No element
#0      List.first (dart:core-patch/growable_array.dart:343:5)
#1      Owl.fly (package:owls/owl.dart:12:5)
#2      Owl.tick.<anonymous closure> (package:owls/owl.dart:3:5)`,
      `[ERROR:flutter/runtime/dart_vm_initializer.cc(41)] Unhandled Exception: StateError: No element
#0      Owl.fly (package:owls/owl.dart:14:7)
<asynchronous suspension>`,
    ],
  },
  {
    format: 'Haxe',
    title: 'Haxe error: Null Object Reference | owls.Owl.fly',
    reason: 'Haxe error',
    texts: [
      `Null Object Reference
Called from owls.Owl.fly (source/owls/Owl.hx line 12)
Called from flixel.FlxGame.update (flixel/FlxGame.hx line 600)`,
      `Error : Null Object Reference
Called from owls.Owl.fly (C:/haxe/owls/source/owls/Owl.hx line 15)
Called from flixel.FlxState.update (flixel/FlxState.hx line 9)`,
    ],
  },
  {
    format: 'Haxe',
    title: 'Haxe error: Invalid field access : hp | owls.Nest.add',
    reason: 'Haxe error',
    texts: ['Invalid field access : hp\nCalled from owls.Nest.add (source/owls/Nest.hx line 3)'],
  },
  {
    format: 'Godot',
    title: 'USER ERROR: The nest is full | nest.land',
    reason: 'USER ERROR',
    texts: [
      `E 0:00:08.275   nest.gd:12 @ land(): The nest is full
  <C++ Source>  core/variant/variant_utility.cpp:1024 @ push_error()
  <Stack Trace> nest.gd:12 @ land()
                owl.gd:30 @ _process()`,
      `E 0:01:40:0311   land: The nest is full
  <C++-Quellcode>core/variant/variant_utility.cpp:1092 @ push_error()
  <Stack-Trace> nest.gd:15 @ land()
                owl.gd:33 @ _process()
E 0:01:41:0311   fly: Later`,
      `USER ERROR: The nest is full
   at: push_error (core/variant/variant_utility.cpp:1092)
   GDScript backtrace (most recent call first):
       [0] land (res://nest.gd:12)`,
    ],
  },
  {
    format: 'Godot',
    title: 'ERROR: Node not found: "Owl" (relative to "Level"). | nest._ready',
    reason: 'ERROR',
    texts: [
      `E 0:00:01.234   get_node: (Node not found: "Owl" (relative to "/root/Level").)
  <C++ Error>   Condition "!node" is true. Returned: __null
  <C++ Source>  scene/main/node.cpp:1376 @ get_node()
  <Stack Trace> nest.gd:14 @ _ready()`,
      `E 0:00:00:0625   nest.gd:15 @ _ready(): Node not found: "Owl" (relative to "/root/Level").
  <C++ 错误>     Method/function failed. Returning: nullptr
  <C++ 源文件>   scene/main/node.cpp:1651 @ get_node()
  <栈追踪>       nest.gd:15 @ _ready()`,
    ],
  },
  {
    format: 'Godot',
    title: "SCRIPT ERROR: Invalid get index 'hp' (on base: 'Nil'). | player._process",
    reason: 'SCRIPT ERROR',
    texts: [
      `E 0:00:02:0311   _process: Invalid get index 'hp' (on base: 'Nil').
  <GDScript Source>player.gd:12 @ _process()
  <Stack Trace> player.gd:12 @ _process()
                level.gd:3 @ tick()`,
      `SCRIPT ERROR: _process: Invalid get index 'hp' (on base: 'Nil').
   At: res://player.gd:40.`,
    ],
  },
  {
    format: 'Ruby crash',
    title: 'SIGSEGV | nest.draw',
    reason: 'SIGSEGV',
    texts: [
      `/opt/owls/nest.rb:3: [BUG] Segmentation fault at 0x0000000000000007
ruby 3.2.2 (2023-03-30 revision e51014f9c0) [x86_64-linux]

-- Control frame information -----------------------------------------------
c:0003 p:---- s:0011 e:000010 CFUNC  :draw_rect
c:0001 p:0000 s:0003 E:0001a0 DUMMY  [FINISH]

-- Ruby level backtrace information ----------------------------------------
/opt/owls/main.rb:9:in \`<main>'
/opt/owls/nest.rb:3:in \`block in draw'

-- Machine register context ------------------------------------------------
 RIP: 0x000070aa64cedbe7 RBP: 0x000070aa648e8fd0 RSP: 0x00007ffc5c057608

-- C level backtrace information -------------------------------------------
/usr/lib/libruby.so.3.2(rb_print_backtrace+0xd) [0x70aa64d5bb5f] vm_dump.c:785
/usr/lib/libruby.so.3.2(rb_vm_bugreport) vm_dump.c:1080
/usr/lib/libruby.so.3.2(sigsegv+0x49) [0x7fdc221827c9] signal.c:964
/lib/x86_64-linux-gnu/libpthread.so.0(__restore_rt+0x0) [0x7fdc21f25140]
/opt/owls/gems/gosu.so(draw_rect+0x12) [0x7fdc2220e298]
/usr/lib/libruby.so.3.2(vm_call_cfunc+0x119) [0x7a62f0e51dd9] vm.c:12

-- Other runtime information -----------------------------------------------

* Loaded script: main.rb`,
      `nest.rb:5: [BUG] Segmentation fault at 0x0000000000000010
ruby 3.4.1 (2024-12-25 revision 48d4efcb85) +PRISM [x64-mingw-ucrt]

-- Ruby level backtrace information ----------------------------------------
main.rb:11:in '<main>'
nest.rb:5:in 'draw'

-- C level backtrace information -------------------------------------------
C:\\Windows\\SYSTEM32\\ntdll.dll(ZwWaitForSingleObject+0x14) [0x00007ff8a1b2c3d4]`,
    ],
  },
  {
    format: 'Ruby crash',
    title: 'Ruby [BUG]: object allocation during garbage collection phase | nest',
    reason: 'Ruby [BUG]',
    texts: [
      `nest.rb:12: [BUG] object allocation during garbage collection phase
ruby 1.9.2p0 (2010-08-18) [i386-mingw32]

This application has requested the Runtime to terminate it in an unusual way.`,
    ],
  },
  {
    format: 'Ruby',
    title: 'KeyError: no entry | Nest#find',
    reason: 'KeyError',
    texts: [
      `owl.rb:5:in 'Owl#open': nest is gone (NestError)
	from owl.rb:9:in '<main>'
owl.rb:3:in 'Nest#find': no entry (KeyError)

    @eggs.fetch(:first)
         ^^^^^^
	from owl.rb:5:in 'Owl#open'
	from owl.rb:9:in '<main>'`,
      `Traceback (most recent call last):
	2: from owl.rb:11:in '<main>'
	1: from owl.rb:7:in 'Owl#open'
owl.rb:4:in 'Nest#find': no entry (KeyError)`,
    ],
  },
  {
    format: 'RPG Maker',
    title: "NoMethodError: undefined method `hp' for nil:NilClass | Game_Player.update",
    reason: 'NoMethodError',
    texts: [
      `[2024-01-31 12:00:00 +0000]

Exception: NoMethodError
Message: undefined method \`hp' for nil:NilClass

Backtrace:
[Scripts] 049:Game_Player:123:in \`update'
Scene_Map:12:in \`block in main'
Main:3:in \`<main>'`,
      `Exception: NoMethodError
Message: undefined method \`hp' for nil:NilClass

Backtrace:
050:Game_Player:130:in \`update'`,
    ],
  },
  {
    format: 'RPG Maker',
    title: 'RuntimeError: no owl in nest <n> | Game_Nest',
    reason: 'RuntimeError',
    texts: ["Script 'Game_Nest' line 12: RuntimeError occured.\n\nno owl in nest 7"],
  },
  {
    format: 'Lua',
    title: "Lua error: attempt to index a nil value (field 'nest') | owl",
    reason: 'Lua error',
    texts: [
      "PANIC: unprotected error in call to Lua API (src/owl.lua:12: attempt to index a nil value (field 'nest'))",
      "A fatal error occurred: LUA PANIC: unprotected error in call to Lua API (/opt/owls/owl.lua:15: attempt to index a nil value (field 'nest'))",
    ],
  },
  {
    format: 'Lua',
    title: 'Lua error: not enough memory',
    reason: 'Lua error',
    texts: ['PANIC: unprotected error in call to Lua API (not enough memory)'],
  },
  {
    format: 'Lua',
    title: "Lua error: 'end' expected near <eof> | main",
    reason: 'Lua error',
    texts: [
      "lua: main.lua:4: 'end' expected near <eof>",
      "C:\\tools\\luajit.exe: main.lua:9: 'end' expected near <eof>",
    ],
  },
  {
    format: 'Lua',
    title: 'Lua error: nest <n> is empty | owl.land',
    reason: 'Lua error',
    texts: [
      `/usr/bin/lua5.4: nest 3 is empty
stack traceback:
	[C]: in function 'error'
	(...tail calls...)
	src/owl.lua:3: in method 'land'
	[C]: in ?`,
    ],
  },
  {
    format: 'Lua',
    title: "Lua error: module 'nest' not found | main.main",
    reason: 'Lua error',
    texts: [
      `lua: main.lua:5: module 'nest' not found:
	no field package.preload['nest']
${['usr/share/lua/5.3', 'usr/lib/lua/5.3', 'opt/lua', 'opt/owls'].flatMap((folder) => [`	no file '/${folder}/nest.lua'`, `	no file '/${folder}/nest/init.lua'`]).join('\n')}
stack traceback:
	[C]: in function 'require'
	main.lua:5: in main chunk
	[C]: in ?`,
    ],
  },
  {
    format: 'Nim',
    title: 'IndexDefect: index <n> not in <n> .. <n> | nest.land',
    reason: 'IndexDefect',
    texts: [
      `Traceback (most recent call last)
/home/ci/owls/src/owls.nim(26) owls
/home/ci/owls/src/nest.nim(16) land
/home/ci/.choosenim/toolchains/nim-2.0.2/lib/system/fatal.nim(54) sysFatal
Error: unhandled exception: index 4 not in 0 .. 3 [IndexDefect]`,
      `Traceback (most recent call last)
owls.nim(30)             owls
nest.nim(18)             land
(12 calls omitted) ...
fatal.nim(53)            sysFatal
Error: unhandled exception: index 7 not in 0 .. 6 [IndexDefect]`,
    ],
  },
  {
    format: 'Nim',
    title: 'SIGSEGV | nest.fly',
    reason: 'SIGSEGV',
    texts: [
      `Traceback (most recent call last)
owls.nim(4)              owls
nest.nim(93)             flyNimAsyncContinue
system.nim(1529)         add
SIGSEGV: Illegal storage access. (Attempt to read from nil?)`,
    ],
  },
  {
    format: 'Nim',
    title: 'NestError: The nest is gone It was here a moment ago | owls.hello',
    reason: 'NestError',
    texts: [
      `Traceback (most recent call last)
owls.nim(12) at module owls
owls.nim(10) at owls.hello
Error: unhandled exception: The nest is gone
It was here a moment ago [NestError]`,
    ],
  },
  {
    format: 'Zig',
    title: 'panic: index out of bounds: index <n>, len <n> | nest.land',
    reason: 'panic',
    texts: [
      `thread 318181 panic: index out of bounds: index 128, len 128
/home/ci/owls/src/nest.zig:481:34: 0x2484f5 in land (owls)
                    if (owls[i + 1] != .asleep) {
                                 ^
/home/ci/owls/src/main.zig:73:24: 0x23bb46 in main (owls)
    try nest.land(gpa);
                       ^
/usr/lib/zig/lib/std/start.zig:583:37: 0x23ae85 in posixCallMainAndExit (owls)
            const result = root.main() catch |err| {
                                    ^
???:?:?: 0x2 in ??? (???)
Unwind information for \`???:0x2\` was not available, trace may be incomplete`,
      `panic: index out of bounds: index 7, len 5
C:\\ci\\owls\\src\\nest.zig:490:34: 0x7ff7a03eaec7 in land__anon_8874 (owls.obj)
C:\\zig\\lib\\std\\start.zig:256:65: 0x7ff7a03765d1 in WinStartup (owls.obj)`,
    ],
  },
  {
    format: 'Zig',
    title: 'SIGSEGV | nest.Nest.fly',
    reason: 'SIGSEGV',
    texts: [
      `Segmentation fault at address 0x10
/home/ci/owls/src/nest.zig:12:5: 0x2484f5 in nest.Nest.fly (owls)
    self.owl.flap();
    ^
/home/ci/.cache/zig/p/N-V-__8AAH/src/loop.zig:9:5: 0x23bb46 in run (owls)`,
    ],
  },
  {
    format: 'Zig',
    title: 'FileNotFound | save.load',
    reason: 'FileNotFound',
    texts: [
      `error: FileNotFound
/usr/lib/zig/lib/std/posix.zig:1715:23: 0x10c1f5a in openatZ (owls)
            .NOENT => return error.FileNotFound,
                      ^
/home/ci/owls/src/save.zig:12:5: 0x10c1f5a in load (owls)
    const file = try folder.openFile(path);
    ^`,
    ],
  },
  {
    format: 'Odin',
    title: 'Odin error: Index <n> is out of range <n>..<<n> | nest',
    reason: 'Odin error',
    texts: [
      '/home/ci/owls/src/nest.odin(12:5) Index 4 is out of range 0..<4',
      'D:/agent/owls/src/nest.odin:15:9: Index -1 is out of range 0..<12',
    ],
  },
  {
    format: 'Odin',
    title: 'runtime assertion: owl != nil | nest',
    reason: 'runtime assertion',
    texts: ['nest.odin(12:5) runtime assertion: owl != nil'],
  },
  {
    format: 'Odin',
    title: 'panic: no owl in nest <n> | nest',
    reason: 'panic',
    texts: ['/src/nest.odin(30:2) panic: no owl in nest 3'],
  },
  {
    format: 'Mono',
    title: 'Assertion failed: tblock->native_offset | Owls.Nest.Land',
    reason: 'Assertion failed',
    texts: [
      `* Assertion at mini.c:2644, condition \`tblock->native_offset' not met

=================================================================
	Native Crash Reporting
=================================================================
Got a SIGABRT while executing native code. This usually indicates
a fatal error in the mono runtime or one of the native libraries 
used by your application.
=================================================================

=================================================================
	Managed Stacktrace:
=================================================================
	  at <unknown> <0xffffffff>
	  at Owls.Nest:Land (int) <0x0020a>
	  at Owls.Level:Update () <0x0010b>
=================================================================`,
      `* Assertion at /build/mono/mini/mini.c:2711, condition \`tblock->native_offset' not met
Stacktrace:

  at <unknown> <0xffffffff>
  at (wrapper managed-to-native) UnityEngine.Mesh.Set (UnityEngine.Mesh) <0x00012>
  at Owls.Nest.Land (int) [0x00012] in /src/Nest.cs:12

Native stacktrace:

	0   mono32                              0x000f6c59 mono_handle_native_crash + 233`,
    ],
  },
  {
    format: 'Mono',
    title: 'Assertion failed: should not be reached | interp-stubs',
    reason: 'Assertion failed',
    texts: ['* Assertion: should not be reached at interp-stubs.c:105'],
  },
  {
    format: 'Godot',
    title: "SCRIPT ERROR: Invalid call. Nonexistent function 'hoot' in base 'Nil'. | owl.fly",
    reason: 'SCRIPT ERROR',
    texts: [
      `**SCRIPT ERROR**: Invalid call. Nonexistent function 'hoot' in base 'Nil'.
   At: res://owl.gd:12:fly() - Invalid call. Nonexistent function 'hoot' in base 'Nil'.`,
      "E 0:00:08.275   owl.gd:14 @ fly(): Invalid call. Nonexistent function 'hoot' in base 'Nil'.",
    ],
  },
  {
    format: 'Ruby',
    title: "NoMethodError: undefined method 'hoot' | owl.fly",
    reason: 'NoMethodError',
    texts: [
      `trace (most recent call last):
	[2] app/main.rb:9
	[1] app/main.rb:5:in tick
app/owl.rb:3:in fly: undefined method 'hoot' (NoMethodError)`,
      `app/owl.rb:4:in 'fly': undefined method 'hoot' (NoMethodError)
	from <internal:kernel>:187:in 'loop'
	from app/main.rb:9:in '<main>'`,
    ],
  },
  {
    format: 'Nim',
    title: 'AssertionDefect: `owl != nil` no owl in <n> | nest.land',
    reason: 'AssertionDefect',
    texts: [
      `Traceback (most recent call last)
/home/ci/owls/src/nest.nim(16) land
/nim/lib/std/assertions.nim(41) failedAssertImpl
Error: unhandled exception: /home/ci/owls/src/nest.nim(16, 3) \`owl != nil\` no owl in 3 [AssertionDefect]`,
      `Traceback (most recent call last)
nest.nim(18)             land
Error: unhandled exception: D:\\owls\\src\\nest.nim(18, 3) \`owl != nil\` no owl in 7 [AssertionDefect]`,
    ],
  },
  {
    format: 'Nim',
    title: 'AssertionDefect: `owl != nil` | nest',
    reason: 'AssertionDefect',
    texts: ['Error: unhandled exception: /home/ci/owls/src/nest.nim(16, 3) `owl != nil`  [AssertionDefect]'],
  },
  {
    format: 'Odin',
    title: 'unsatisfied ensure: owl != nil | nest',
    reason: 'unsatisfied ensure',
    texts: ['nest.odin(12:5) unsatisfied ensure: owl != nil'],
  },
  {
    format: 'Mono',
    title: 'Assertion failed: i < mcount | mono_class_get',
    reason: 'Assertion failed',
    texts: [
      "* Assertion at /b/mono/metadata/class.c:2006, condition `i < mcount' not met, function:mono_class_get, (null) assembly:owls.dll",
      "* Assertion at class.c:2011, condition `i < mcount' not met, function:mono_class_get, ",
    ],
  },
];
