// Events in the form in which clients for engines and phones send them, as read in their sources. None of them was
// recorded: what such a client sends besides may differ.

/** A stack as clients send it: the innermost frame last. */
const stackOf = (frames: readonly object[], more: object = {}) => ({ frames: frames.toReversed(), ...more });

/** The program of the dump `null_deref_inline` in memory. */
const PROGRAM = { image_addr: '0x400000', image_size: 0x100000, debug_id: '8eb9ed96-b569-a6a0-4d6c-b5c57a4568b8' };
export const PROGRAM_ADDRESS = 0x400000;

const hex = (address: number | bigint) => `0x${address.toString(16)}`;

/**
 * An exception of C# that Unity's log had, with IL2CPP: the frames have addresses in one image of all the game's code,
 * whose place in memory Unity doesn't know. The client places it behind all others.
 */
export function unityEvent() {
  const place = 0x7fff_ffff_ffff_ffffn;
  const frame = (method: string, module: string, offset: bigint, own: boolean) => ({
    module,
    function: method,
    package: `${own ? 'Assembly-CSharp' : 'UnityEngine.CoreModule'}, Version=0.0.0.0, Culture=neutral, PublicKeyToken=null`,
    in_app: own,
    instruction_addr: hex(place + offset),
  });
  return {
    platform: 'csharp',
    level: 'error',
    release: 'Owls@1.2.0',
    environment: 'production',
    sdk: { name: 'sentry.dotnet.unity', version: '4.9.0' },
    contexts: {
      device: {
        type: 'device',
        model: 'System Product Name (System manufacturer)',
        device_type: 'Desktop',
        cpu_description: 'AMD Ryzen 7 5800X 8-Core Processor',
        processor_count: 16,
        memory_size: 34_359_738_368,
      },
      gpu: {
        type: 'gpu',
        id: 9348,
        name: 'NVIDIA GeForce RTX 3070',
        vendor_name: 'NVIDIA',
        version: 'Direct3D 11.0 [level 11.1]',
        api_type: 'Direct3D11',
      },
      os: { type: 'os', raw_description: 'Windows 11  (10.0.22631) 64bit', name: 'Windows 11  (10.0.22631) 64bit' },
      unity: { type: 'unity', editor_version: '6000.1.2f1', install_mode: 'Store', active_scene_name: 'Mountains' },
    },
    exception: {
      values: [
        {
          type: 'System.NullReferenceException',
          module: 'System.Runtime, Version=4.0.0.0, Culture=neutral, PublicKeyToken=null',
          value: 'Object reference not set to an instance of an object.',
          thread_id: 1,
          mechanism: { type: 'Unity.LogException', handled: false },
          stacktrace: stackOf(
            [
              frame('Jump', 'Owls.Player', 0x1234n, true),
              frame('Update', 'Owls.Player', 0x1100n, true),
              frame('InvokeUpdate', 'UnityEngine.SetupCoroutine', 0x9000n, false),
            ],
            { instruction_addr_adjustment: 'all' },
          ),
        },
      ],
    },
    debug_meta: {
      images: [
        {
          type: 'pe',
          image_addr: hex(place),
          debug_id: '9f7853fbfb3bbe584c4c44205044422e',
          code_file: 'GameAssembly.dll',
        },
      ],
    },
  };
}

/** In a browser, the client knows of an exception only what Unity's log says. */
export function unityWebEvent() {
  const event = unityEvent();
  return {
    ...event,
    debug_meta: undefined,
    exception: {
      values: [
        {
          type: 'LogException',
          value: 'NullReferenceException: Object reference not set to an instance of an object.',
          mechanism: { type: 'unity.log', handled: false, synthetic: true },
          stacktrace: stackOf([
            { function: 'UnityEngine.Debug:LogException(Exception)', in_app: false },
            { function: 'Owls.Player:Jump()', in_app: true },
            {
              function: 'Owls.Player:Update ()',
              filename: 'Player.cs',
              abs_path: 'Assets/Player.cs',
              lineno: 8,
              in_app: true,
            },
          ]),
        },
      ],
    },
  };
}

/** The contexts of the plug-in for Unreal, which has numbers as texts. Its crashes come with a dump. */
export function unrealEvent() {
  return {
    platform: 'native',
    level: 'fatal',
    release: 'Owls@1.2.0',
    dist: 'WindowsClient',
    sdk: { name: 'sentry.native.unreal', version: '1.1.0' },
    tags: { Configuration: 'Shipping' },
    contexts: {
      os: { type: 'os', name: 'Windows', version: '10.0.22631', build: '3007' },
      gpu: {
        type: 'gpu',
        name: 'AMD Radeon RX 6800',
        vendor_name: 'Advanced Micro Devices, Inc.',
        driver_version: '31.0.24002.92',
      },
      device: {
        type: 'device',
        device_type: 'Desktop',
        cpu_description: 'Intel(R) Core(TM) i7-12700K',
        number_of_cores: '12',
        physical_memory_size_gb: '32',
      },
      'Unreal Engine': {
        type: 'unreal engine',
        'Engine version': '5.6.1-44394996',
        'Plugin version': '1.1.0',
        Configuration: 'Shipping',
        'Is game': 'true',
        'Game name': 'Owls',
      },
    },
    exception: { values: [] },
  };
}

/** An error of a script in Godot. An error of the engine itself has a native frame at the end. */
export function godotEvent({ ofEngine = false } = {}) {
  const script = (name: string, file: string, line: number, source = '') => ({
    filename: file,
    function: name,
    lineno: line,
    in_app: true,
    platform: 'gdscript',
    ...(source !== '' && { context_line: source, pre_context: ['func jump():'], post_context: [''] }),
    vars: { lives: '3' },
  });
  const engine = {
    filename: 'scene/main/node.cpp',
    function: 'get_node',
    lineno: 1973,
    in_app: false,
    platform: 'native',
  };
  return {
    platform: 'native',
    level: 'error',
    release: 'Owls@1.2.0',
    logger: 'Godot',
    sdk: { name: 'sentry.native.godot', version: '1.5.0' },
    contexts: {
      os: { type: 'os', name: 'SteamOS', version: '3.6', kernel_version: '6.5.0' },
      device: { type: 'device', arch: 'x86_64', model: 'Steam Deck OLED', family: 'Steam Deck', processor_count: 8 },
      gpu: {
        name: 'AMD Custom GPU 0932',
        vendor_name: 'AMD',
        version: '1.3.274',
        driver_version: '24.1.0',
      },
      'Godot Engine': {
        version: '4.5.1-stable (official)',
        debug_build: false,
        command_line_arguments: ['--path', '/home/deck/owls'],
        mode: 'game',
      },
      culture: { type: 'culture', locale: 'en_GB' },
    },
    exception: {
      values: [
        {
          type: ofEngine ? 'ERROR' : 'SCRIPT ERROR',
          value: ofEngine
            ? 'Node not found: "Wings"'
            : "Invalid access to property or key 'wings' on a base object of type 'Nil'.",
          stacktrace: stackOf([
            ...(ofEngine ? [engine] : []),
            script('jump', 'res://player.gd', 12, '\tself.wings.open()'),
            script('_process', 'res://player.gd', 30),
          ]),
        },
      ],
    },
  };
}

/** An exception of .NET with its cause. The frames name methods by their number in an image of the list. */
export function dotnetEvent() {
  const frame = (module: string, name: string, own: boolean) => ({
    filename: own ? '/src/owls/Level.cs' : undefined,
    function: name,
    module,
    lineno: own ? 12 : undefined,
    in_app: own,
    package: `${own ? 'Owls' : 'System.Private.CoreLib'}, Version=1.0.0.0, Culture=neutral, PublicKeyToken=null`,
    instruction_addr: '0x1c',
    addr_mode: 'rel:0',
    function_id: '0x2a',
  });
  return {
    platform: 'csharp',
    release: 'owls@1.2.0',
    sdk: { name: 'sentry.dotnet', version: '6.3.0' },
    contexts: {
      os: { raw_description: 'Linux 6.1.0', type: 'os' },
      runtime: { type: 'runtime', name: '.NET', version: '9.0.8' },
    },
    exception: {
      values: [
        {
          type: 'System.IO.FileNotFoundException',
          value: 'Could not find file.',
          mechanism: { type: 'chained', source: 'InnerException', handled: true, exception_id: 1, parent_id: 0 },
          stacktrace: stackOf([
            frame('System.IO.FileStream', 'FileStream FileStream.Open(string path)', false),
            frame('Owls.Level', 'async Task Level.Read(string path)', true),
          ]),
        },
        {
          type: 'Owls.LevelException',
          value: 'cannot load level 7',
          mechanism: { type: 'AppDomain.UnhandledException', handled: false, exception_id: 0 },
          stacktrace: stackOf([
            frame('Owls.Level', 'void Level.Load(int number)', true),
            frame('Owls.Game', 'void Game.Main()', true),
          ]),
        },
      ],
    },
    debug_meta: {
      images: [
        {
          type: 'pe_dotnet',
          debug_id: '3c2b1a00-0000-4000-8000-00000000000a-ffffffff',
          debug_checksum: 'SHA256:00',
          debug_file: '/src/owls/obj/Release/Owls.pdb',
          code_id: 'c69e1d3b8000',
          code_file: '/opt/owls/Owls.dll',
        },
      ],
    },
    threads: { values: [{ id: 1, name: '.NET Main', crashed: true, current: true }] },
  };
}

type Native = {
  /** Where in the program the frames are: the instruction first, then the addresses to return to. */
  readonly offsets: readonly number[];
};

const addressAt = (offset: number) => hex(PROGRAM_ADDRESS + offset);

/** A crash on a Mac or an iPhone: the addresses of all threads, and the images that they are in. */
export function cocoaEvent({ offsets: [pc = 0, ...returns] }: Native) {
  const name = '/private/var/containers/Bundle/Application/0/Owls.app/Owls';
  const frame = (offset: number) => ({
    instruction_addr: addressAt(offset),
    image_addr: PROGRAM.image_addr,
    package: name,
    in_app: true,
  });
  const stacktrace = stackOf([pc, ...returns].map(frame), {
    registers: { pc: addressAt(pc), lr: addressAt(returns[0] ?? 0) },
  });
  return {
    platform: 'cocoa',
    level: 'fatal',
    release: 'com.example.owls@1.2.0+12',
    dist: '12',
    sdk: { name: 'sentry.cocoa', version: '9.9.0' },
    contexts: {
      os: { name: 'iOS', version: '19.1', build: '23B85', kernel_version: 'Darwin Kernel Version 25.1.0' },
      device: { family: 'iPhone', model: 'iPhone17,1', model_id: 'D93AP', arch: 'arm64e', memory_size: 8_000_000_000 },
      app: { app_identifier: 'com.example.owls', app_name: 'Owls', app_version: '1.2.0', device_app_hash: '1f2e' },
    },
    exception: {
      values: [
        {
          type: 'EXC_BAD_ACCESS',
          value: 'Exception 1, Code 1, Subcode 0',
          thread_id: 0,
          mechanism: {
            type: 'mach',
            handled: false,
            data: { relevant_address: '0x0000000000000010' },
            meta: {
              mach_exception: { name: 'EXC_BAD_ACCESS', exception: 1, subcode: 0, code: 1 },
              signal: { number: 11, code: 0, name: 'SIGSEGV', code_name: 'SEGV_NOOP' },
            },
          },
          stacktrace,
        },
      ],
    },
    threads: { values: [{ id: 0, name: 'main', crashed: true, current: true, main: true, stacktrace }] },
    debug_meta: { images: [{ type: 'macho', ...PROGRAM, code_file: name, image_vmaddr: '0x0000000100000000' }] },
  };
}

/** A crash of native code that Android itself recorded. Its addresses are those of calls already. */
export function tombstoneEvent({ offsets: [pc = 0, ...returns] }: Native) {
  const file = '/data/app/com.example.owls/lib/arm64/null_deref_inline';
  const frame = (offset: number) => ({
    package: file,
    function: '',
    instruction_addr: addressAt(offset),
    in_app: true,
  });
  const stacktrace = stackOf([frame(pc), ...returns.map((offset) => frame(offset - 1))], {
    registers: { pc: addressAt(pc) },
    instruction_addr_adjustment: 'none',
  });
  return {
    platform: 'native',
    level: 'fatal',
    release: 'com.example.owls@1.2.0+12',
    sdk: { name: 'sentry.java.android', version: '8.64.0' },
    contexts: {
      os: { name: 'Android', version: '16' },
      device: { manufacturer: 'Google', model: 'Pixel 9' },
    },
    message: { formatted: 'Fatal signal SIGSEGV (11), SEGV_MAPERR (1), pid = 4711 (com.example.owls)' },
    exception: {
      values: [
        {
          type: 'SIGSEGV',
          value: 'Segfault',
          thread_id: 4712,
          mechanism: {
            type: 'Tombstone',
            handled: false,
            synthetic: true,
            meta: { number: 11, name: 'SIGSEGV', code: 1, code_name: 'SEGV_MAPERR' },
          },
          stacktrace,
        },
      ],
    },
    threads: {
      values: [
        { id: 4711, name: 'main', main: true, stacktrace: stackOf([frame(pc)]) },
        { id: 4712, name: 'UnityMain', crashed: true, stacktrace },
      ],
    },
    debug_meta: { images: [{ type: 'elf', ...PROGRAM, code_file: file, code_id: '96edb98e69b5a0a64d6cb5c57a4568b8' }] },
  };
}

/** An Android game whose main thread hung. The session that comes with it is abnormal. */
export function anrEvent() {
  const stacktrace = stackOf([
    { module: 'java.lang.Object', function: 'wait', filename: 'Object.java', native: true, in_app: false },
    { module: 'com.example.owls.Level', function: 'load', filename: 'Level.java', lineno: 12, in_app: true },
    { module: 'android.os.Looper', function: 'loop', filename: 'Looper.java', lineno: 288, in_app: false },
  ]);
  return {
    platform: 'java',
    level: 'fatal',
    release: 'com.example.owls@1.2.0+12',
    sdk: { name: 'sentry.java.android', version: '8.64.0' },
    contexts: { os: { name: 'Android', version: '16' } },
    exception: {
      values: [
        {
          type: 'ApplicationNotResponding',
          value: 'ANR',
          module: 'io.sentry.android.core',
          thread_id: 1,
          mechanism: { type: 'AppExitInfo', synthetic: true },
          stacktrace: { ...stacktrace, snapshot: true },
        },
      ],
    },
    threads: { values: [{ id: 1, name: 'main', main: true, state: 'Waiting', crashed: false, stacktrace }] },
  };
}

/** What Electron's client says about a dump that it sends itself; the dump is an attachment. */
export function electronEvent() {
  return {
    platform: 'native',
    level: 'fatal',
    release: 'owls@1.2.0',
    environment: 'production',
    sdk: { name: 'sentry.javascript.electron', version: '7.9.0' },
    tags: { 'event.environment': 'native', 'event.process': 'renderer', 'exit.reason': 'crashed' },
    contexts: {
      electron: {
        crashed_url: 'app:///index.html?token=1',
        details: { reason: 'crashed', exitCode: 5 },
        'crashpad.prod': 'Electron',
      },
      os: { name: 'Windows', version: '10.0.22631' },
      runtime: { name: 'Electron', version: '42.1.0' },
    },
    breadcrumbs: [{ timestamp: 1_795_694_721, category: 'ui', message: 'clicked play' }],
  };
}
