// Tests the signature rules with typical game crashes on all operating systems.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { frameOf, stackOf } from '../../test/frame.ts';
import { compileSignatureLists } from './lists/signature-lists.ts';
import { makeSignature, type SignatureInput } from './signature.ts';

function signatureOf(fields: Partial<SignatureInput>): string {
  return makeSignature({ os: 'linux', frames: null, ...fields }).signature;
}

/** A kind of crash, its reason, its frames (innermost first), and the expected signature. */
const STACKS: readonly (readonly [crash: string, reason: string, frames: readonly string[], signature: string])[] = [
  ['a plain fault', 'SIGSEGV / SEGV_MAPERR', ['World::Tick(float)', 'main'], 'World::Tick'],
  [
    'a copy to a bad address',
    'SIGSEGV / SEGV_MAPERR',
    ['__memmove_avx_unaligned_erms', 'Pak::Read(int)', 'main'],
    'memmove | Pak::Read',
  ],
  [
    'a corrupted glibc heap',
    'SIGABRT',
    [
      '__pthread_kill_implementation',
      'raise',
      'abort',
      '__libc_message',
      'malloc_printerr',
      '_int_free',
      'free',
      'Mesh::~Mesh()',
    ],
    'free | Mesh::~Mesh',
  ],
  [
    'a failed assert()',
    'SIGABRT',
    ['raise', 'abort', '__assert_fail_base', '__assert_fail', 'Pool::Take()', 'main'],
    'Pool::Take',
  ],
  [
    'an uncaught C++ exception',
    'SIGABRT',
    [
      'raise',
      'abort',
      '__gnu_cxx::__verbose_terminate_handler()',
      '__cxxabiv1::__terminate(void (*)())',
      'std::terminate()',
      '__cxa_throw',
      'std::__throw_out_of_range_fmt(char const*, ...)',
      'std::vector<int>::at(unsigned long)',
      'Inventory::Slot(int)',
    ],
    'std::vector<T>::at | Inventory::Slot',
  ],
  ['a smashed stack', 'SIGABRT', ['raise', 'abort', '__fortify_fail', '__stack_chk_fail', 'parse(char*)'], 'parse'],
  [
    'a signal handler that aborts',
    'SIGABRT',
    ['raise', 'abort', 'Game::OnSignal(int)', '__restore_rt', 'World::Tick(float)'],
    'World::Tick',
  ],
  [
    'a signal handler that faults itself',
    'SIGSEGV / SEGV_MAPERR',
    ['Game::OnSignal(int)', '__restore_rt', 'World::Tick(float)'],
    'Game::OnSignal',
  ],
  [
    'an uncaught MSVC exception',
    'Unhandled C++ Exception',
    ['RaiseException', '_CxxThrowException', 'Save::Load(char const *)', 'main'],
    'Save::Load',
  ],
  [
    'an MSVC pure virtual call',
    'EXCEPTION_STACK_BUFFER_OVERRUN / FAST_FAIL_FATAL_APP_EXIT',
    ['abort', '_purecall', 'Button::Paint()'],
    '_purecall | Button::Paint',
  ],
  [
    'a failed Unreal check()',
    'EXCEPTION_ACCESS_VIOLATION_WRITE',
    [
      'FWindowsErrorOutputDevice::Serialize(wchar_t const *,ELogVerbosity::Type,FName const &)',
      'FOutputDevice::LogfImpl(wchar_t const *,...)',
      'FDebug::AssertFailed(char const *,char const *,int,wchar_t const *,...)',
      'TArray<AActor *>::operator[](int)',
      'AHud::Tick(float)',
    ],
    'TArray<T>::operator[] | AHud::Tick',
  ],
  [
    'an Unreal script',
    'EXCEPTION_ACCESS_VIOLATION_READ',
    [
      'UObject::ProcessEvent(UFunction*, void*)',
      'TBaseUObjectMethodDelegateInstance<0,AHud>::Execute()',
      'AHud::OnHit()',
    ],
    'UObject::ProcessEvent | AHud::OnHit',
  ],
  [
    'a Unity exception',
    'SIGABRT',
    [
      'abort',
      'il2cpp::vm::Exception::Raise(Il2CppException*)',
      'il2cpp_codegen_raise_exception',
      'PlayerController_Update_m0123456789ABCDEF0123456789ABCDEF01234567',
    ],
    'PlayerController_Update',
  ],
  [
    'a Godot index error',
    'SIGILL / ILL_ILLOPN',
    ['CowData<int>::get(long) const', 'Vector<int>::operator[](long) const', 'TileMap::cell(int)'],
    'CowData<T>::get | Vector<T>::operator[] | TileMap::cell',
  ],
  [
    'a Rust panic',
    'SIGABRT',
    [
      'abort',
      'std::sys::unix::abort_internal',
      'rust_panic',
      'rust_begin_unwind',
      'core::panicking::panic_fmt',
      'core::option::expect_failed::h0123456789abcdef',
      'game::load::h0123456789abcdef',
    ],
    'game::load',
  ],
  [
    'an Objective-C message to a freed object',
    'EXC_BAD_ACCESS / KERN_INVALID_ADDRESS',
    ['objc_msgSend', '-[Store load:]'],
    'objc_msgSend | -[Store load:]',
  ],
  [
    'an Objective-C exception',
    'EXC_CRASH / SIGABRT',
    [
      '__pthread_kill',
      'abort',
      'abort_message',
      'demangling_terminate_handler()',
      '_objc_terminate()',
      'std::__terminate(void (*)())',
      'objc_exception_throw',
      '+[NSException raise:format:]',
      '-[Store load:]',
    ],
    '-[Store load:]',
  ],
  // Names of functions as in stacks of public trackers: SF_Mod_RefinedPower#23, and a log of CARLA with Vulkan.
  [
    'a failed Unreal check() on Linux',
    'SIGSEGV / SEGV_MAPERR',
    [
      'FUnixErrorOutputDevice::Serialize(char16_t const*, ELogVerbosity::Type, FName const&)',
      'FOutputDevice::LogfImpl(char16_t const*, ...)',
      'AssertFailedImplV(char const*, char const*, int, char16_t const*, __va_list_tag*)',
      'FDebug::CheckVerifyFailedImpl(char const*, char const*, int, char16_t const*, ...)',
      'DispatchCheckVerify<void,<lambda_bf25ddeef6581ff98ae1fa748b1445c9> >()',
      'AFGHologram::SetupDepthMeshComponent()',
    ],
    'AFGHologram::SetupDepthMeshComponent',
  ],
  [
    "a fatal error on a console's own error device",
    'SIGTRAP',
    [
      'FStudioBoxErrorOutputDevice::HandleError()',
      'FStudioBoxErrorOutputDevice::Serialize(char16_t const*)',
      'StaticFailDebug(char16_t const*, char const*, int, char16_t const*, bool)',
      'LowLevelFatalErrorHandler(char const*, int, char16_t const*, ...)',
      'FSaveGame::Load()',
    ],
    'FSaveGame::Load',
  ],
  [
    'a failed Vulkan call of Unreal',
    'SIGSEGV / SEGV_MAPERR',
    [
      'FGenericPlatformMisc::RaiseException(unsigned int)',
      'FOutputDevice::LogfImpl(char16_t const*, ...)',
      'VulkanRHI::VerifyVulkanResult(VkResult, char const*, char const*, unsigned int)',
      'VulkanRHI::FFenceManager::WaitForFence(VulkanRHI::FFence*, unsigned long)',
    ],
    'VulkanRHI::VerifyVulkanResult | VulkanRHI::FFenceManager::WaitForFence',
  ],
  // microsoft/vscode#141501.
  [
    'an Electron game without memory',
    'EXC_CRASH / SIGABRT',
    [
      '__pthread_kill',
      'pthread_kill',
      'abort',
      'node::OnFatalError(char const*, char const*)',
      'v8::internal::FatalProcessOutOfMemory(v8::internal::Isolate*, char const*)',
      'v8::internal::Heap::PreciseCollectAllGarbage(int, v8::internal::GarbageCollectionReason)',
    ],
    'OOM | unknown | v8::internal::Heap::PreciseCollectAllGarbage',
  ],
  // electron/electron#41513.
  [
    'a failed V8 check',
    'EXC_BREAKPOINT / EXC_I386_BPT',
    [
      'v8::base::OS::Abort()',
      'V8_Fatal(char const*, int, char const*, ...)',
      'v8::internal::AllocationSite::set_memento_found_count(int)',
    ],
    'v8::internal::AllocationSite::set_memento_found_count',
  ],
  [
    'a failed Chromium check',
    'EXCEPTION_BREAKPOINT',
    [
      'base::ImmediateCrash()',
      'logging::LogMessage::HandleFatal(unsigned __int64,std::string const &)',
      'logging::LogMessage::~LogMessage()',
      'logging::CheckError::~CheckError()',
      'overlay::Browser::Resize(int)',
    ],
    'overlay::Browser::Resize',
  ],
  // dotnet/coreclr#4402.
  [
    'an uncaught .NET exception',
    'MANAGED_EXCEPTION_CODE_V4 / COR_E_INVALIDOPERATION',
    [
      'RaiseException',
      "`RaiseTheExceptionInternalOnly'::`81'::__Body::Run",
      'RaiseTheExceptionInternalOnly',
      'IL_Throw',
      'Program.Error()',
      'Program.Main(System.String[])',
    ],
    'Program.Error',
  ],
  // dotnet/runtime#111182.
  [
    'a fatal error of .NET',
    'COR_E_EXECUTIONENGINE',
    [
      'RaiseFailFastException',
      'WatsonLastChance',
      'EEPolicy::LogFatalError',
      'EEPolicy::HandleFatalError',
      'LoaderAllocator::SetHandleValue',
    ],
    'LoaderAllocator::SetHandleValue',
  ],
  // nova-video-player/aos-AVP#1866.
  [
    'a failed check of Android',
    'SIGABRT',
    [
      'abort',
      '__android_log_assert',
      'android::uirenderer::renderthread::EglManager::swapBuffers(android::uirenderer::renderthread::Frame const&)',
    ],
    'android::uirenderer::renderthread::EglManager::swapBuffers',
  ],
  // airsdk/Adobe-Runtime-Support#4033.
  [
    'an exception of a library with an inline namespace',
    'SIGABRT',
    [
      'abort',
      'abort_message',
      'std::__terminate(void (*)())',
      '__cxxabiv1::failed_throw(__cxxabiv1::__cxa_exception*)',
      '__cxa_throw',
      'std::__ndk1::__throw_length_error(char const*)',
      'std::__ndk1::vector<int, std::__ndk1::allocator<int> >::reserve(unsigned long)',
      'Inventory::Grow(int)',
    ],
    'std::vector<T>::reserve | Inventory::Grow',
  ],
  [
    'a failed glog check',
    'SIGABRT',
    [
      'raise',
      'abort',
      'google::logging_fail()',
      'google::LogMessage::Fail()',
      'google::LogMessage::SendToLog()',
      'google::LogMessage::Flush()',
      'google::LogMessageFatal::~LogMessageFatal()',
      'Save::Load()',
    ],
    'Save::Load',
  ],
  [
    'a failed Abseil check',
    'SIGABRT',
    ['raise', 'abort', 'absl::lts_20240116::log_internal::LogMessageFatal::~LogMessageFatal()', 'Save::Load()'],
    'Save::Load',
  ],
  [
    'a failed GLib check',
    'SIGABRT',
    ['raise', 'abort', 'g_assertion_message', 'g_assertion_message_expr', 'menu_open'],
    'menu_open',
  ],
  ['a fatal GLib message', 'SIGTRAP', ['_g_log_abort', 'g_logv', 'g_log', 'menu_open'], 'menu_open'],
  [
    'a failed Qt check',
    'SIGABRT',
    [
      'raise',
      'abort',
      'qt_message_fatal<QString&>',
      'QMessageLogger::fatal(char const*, ...) const',
      'qt_assert(char const*, char const*, int)',
      'Inventory::slot(int)',
    ],
    'Inventory::slot',
  ],
  [
    'a Boost exception',
    'SIGABRT',
    [
      'abort',
      'std::terminate()',
      '__cxa_throw',
      'boost::throw_exception<boost::bad_lexical_cast>(boost::bad_lexical_cast const&)',
      'Save::Parse()',
    ],
    'Save::Parse',
  ],
  // jellyfin/Swiftfin#50.
  [
    'a failed Swift check',
    'EXC_BREAKPOINT / EXC_ARM_BREAKPOINT',
    [
      'Swift runtime failure: Unexpectedly found nil while unwrapping an Optional value',
      'closure #1 in ContinueWatchingView.body.getter',
    ],
    'Swift runtime failure: Unexpectedly found nil while unwrapping an Optional value | closure in ContinueWatchingView.body.getter',
  ],
  [
    'a fatal error of Swift',
    'EXC_BREAKPOINT / EXC_ARM_BREAKPOINT',
    [
      'closure #1 in closure #1 in Swift._assertionFailure(_: Swift.StaticString, _: Swift.String) -> Swift.Never',
      'Swift._assertionFailure(_: Swift.StaticString, _: Swift.String) -> Swift.Never',
      'Game.Save.load() -> ()',
    ],
    'Game.Save.load',
  ],
  [
    'a missing delay-loaded DLL',
    'FACILITY_VISUALCPP / ERROR_MOD_NOT_FOUND',
    ['RaiseException', '__delayLoadHelper2', '_tailMerge_steam_api64_dll', 'Store::Open(void)'],
    'Store::Open',
  ],
  [
    'a stack check in an exception handler',
    'EXCEPTION_STACK_BUFFER_OVERRUN / FAST_FAIL_STACK_COOKIE_CHECK_FAILURE',
    [
      '__report_gsfailure',
      '__GSHandlerCheckCommon',
      '__GSHandlerCheck',
      'RtlpExecuteHandlerForException',
      'Chat::Parse(char const *)',
    ],
    'Chat::Parse',
  ],
  [
    'Windows error reporting',
    'STATUS_HEAP_CORRUPTION',
    [
      'NtWaitForMultipleObjects',
      'WaitForMultipleObjectsEx',
      'WerpReportFaultInternal',
      'WerpReportFault',
      'BasepReportFault',
      'UnhandledExceptionFilter',
      'RtlReportException',
      'Mesh::Free(void)',
    ],
    'Mesh::Free',
  ],
  [
    'a macOS allocator that found a bad pointer',
    'EXC_CRASH / SIGABRT',
    ['__pthread_kill', 'abort', 'malloc_vreport', 'malloc_report', 'free', 'Mesh::~Mesh()'],
    'free | Mesh::~Mesh',
  ],
  [
    'a Rust index error without file names',
    'SIGABRT',
    [
      'abort',
      '__rust_start_panic',
      'rust_panic',
      'rust_begin_unwind',
      'core::panicking::panic_fmt',
      'core::panicking::panic_bounds_check',
      '<game::world::World>::cell::<u8>',
    ],
    'game::world::World::cell<T>',
  ],
  [
    'a Java VM',
    'SIGABRT',
    [
      'raise',
      'abort',
      'os::abort(bool, void*, void const*)',
      'VMError::report_and_die(Thread*, unsigned int)',
      'JVM_handle_linux_signal',
      'Java_com_studio_Native_draw',
    ],
    'Java_com_studio_Native_draw',
  ],
  [
    'a NativeAOT exception',
    'MANAGED_EXCEPTION_CODE_V4',
    [
      'RaiseFailFastException',
      'S_P_CoreLib_System_RuntimeExceptionHelpers__FailFast',
      'S_P_CoreLib_System_Runtime_EH__RhThrowEx',
      'RhpThrowEx',
      'Game_Inventory__Slot',
    ],
    'Game_Inventory__Slot',
  ],
  [
    'a coroutine of Unity',
    'SIGABRT',
    [
      'abort',
      'il2cpp::vm::Exception::Raise(Il2CppException*)',
      `U3COpenU3Ed__7_MoveNext_m${'0123456789ABCDEF'.repeat(2)}01234567`,
    ],
    '<Open>d_MoveNext',
  ],
  [
    'a dump requested by the program',
    'DUMP_REQUESTED',
    ['google_breakpad::ExceptionHandler::WriteMinidump()', 'Watchdog::Report()'],
    'Watchdog::Report',
  ],
];

describe('makeSignature with frames', () => {
  for (const [crash, reason, frames, signature] of STACKS) {
    it(`returns \`${signature}\` for ${crash}`, () => {
      assert.equal(signatureOf({ reason, frames: stackOf(...frames) }), signature);
    });
  }

  it('uses the frames of a catch block that faults itself', () => {
    const frames = stackOf(
      'Save::Repair()',
      '_CallSettingFrame',
      'RaiseException',
      '_CxxThrowException',
      'Save::Load()',
    );
    assert.equal(signatureOf({ reason: 'EXCEPTION_ACCESS_VIOLATION_READ', frames }), 'Save::Repair');
    assert.equal(signatureOf({ reason: 'Unhandled C++ Exception', frames }), 'Save::Load');
  });

  it('continues below a null pointer call and past addresses outside all modules', () => {
    const frames = [frameOf({ offset: '0x0000000000000000' }), frameOf({}), ...stackOf('dispatch(int)')];
    assert.equal(signatureOf({ reason: 'SIGSEGV / SEGV_MAPERR', frames }), '@0x0 | dispatch');
  });

  it('names a module without symbols once, even if several of its frames follow each other', () => {
    const modules = ['libc-2.31.so', 'libc-2.31.so', 'libstdc++.so.6.0.28'].map((module) => frameOf({ module }));
    const frames = [...modules, ...stackOf('World::Tick(float)')];
    assert.equal(signatureOf({ reason: 'SIGSEGV / SEGV_MAPERR', frames }), 'libc.so.6 | libstdc++.so.6 | World::Tick');
  });

  it('skips runtimes when the program aborted, including the wrong names from stripped ones', () => {
    const stripped = frameOf({ module: 'libc.so.6', function: 'pthread_key_delete' });
    const frames = [stripped, frameOf({ module: 'libstdc++.so.6' }), ...stackOf('ui::Widget::Init()')];
    assert.equal(signatureOf({ reason: 'SIGABRT', frames }), 'ui::Widget::Init');
    assert.equal(signatureOf({ reason: 'SIGSEGV', frames }), 'pthread_key_delete');
  });

  it('skips the loader when the program aborted, even where its few symbols give a name', () => {
    for (const module of ['ld-linux-x86-64.so.2', 'ld-linux.so.2', 'ld-2.31.so', 'ld-musl-x86_64.so.1', 'linker64']) {
      const loader = [frameOf({ module }), frameOf({ module, function: '__tls_get_addr' })];
      const frames = [...loader, ...stackOf('mods::Load()')];
      assert.equal(signatureOf({ reason: 'SIGABRT / SI_TKILL', frames }), 'mods::Load', module);
      assert.match(signatureOf({ reason: 'SIGSEGV', frames }), /__tls_get_addr \| mods::Load/, module);
    }
  });

  it('skips linker-generated code and never uses the name of a section', () => {
    for (const section of ['.plt', '.plt.got', '.plt.sec', '.iplt', '.init', '.fini']) {
      const stub = frameOf({ module: 'game', function: `<${section} ELF section in game>`, module_offset: '0x1020' });
      assert.equal(signatureOf({ reason: 'SIGSEGV', frames: [stub, ...stackOf('World::Tick()')] }), 'World::Tick');
    }
    const text = frameOf({ module: 'game', function: '<.text ELF section in game>', module_offset: '0x1a2b' });
    assert.equal(signatureOf({ reason: 'SIGSEGV', frames: [text] }), 'game+0x1a2b');
  });

  describe('when no function ends the signature', () => {
    const bare = (module: string, offset: string) => frameOf({ module, module_offset: offset });
    const of = (...frames: ReturnType<typeof bare>[]) => signatureOf({ os: 'windows', reason: 'SIGSEGV', frames });

    it('includes the module offset, so that different faults get different signatures', () => {
      assert.equal(of(bare('Game.exe', '0x0000000000001a2b')), 'game.exe+0x1a2b');
      assert.equal(of(bare('Game.exe', '0x0000000000001a30')), 'game.exe+0x1a30');
      assert.equal(of(bare('GameAssembly.dll', '0x10'), bare('GameAssembly.dll', '0x20')), 'gameassembly.dll+0x10');
    });

    it('uses the innermost frame outside system modules, whose offsets differ between players', () => {
      const system = [bare('ntdll.dll', '0x1'), bare('nvoglv64.dll', '0x2')];
      assert.equal(of(...system, bare('game.exe', '0x30')), 'ntdll.dll | nvoglv64.dll | game.exe+0x30');
      assert.equal(of(...system), 'ntdll.dll | nvoglv64.dll');
    });

    it('keeps the prefixes before the offset, and adds none when a function ends the signature', () => {
      const copy = frameOf({ module: 'game.exe', function: 'memcpy' });
      assert.equal(of(copy, bare('game.exe', '0x30')), 'memcpy | game.exe+0x30');
      assert.equal(of(bare('mod.dll', '0x30'), ...stackOf('World::Tick()')), 'mod.dll | World::Tick');
    });

    it('adds no offset to a skipped runtime', () => {
      const abort = (...frames: ReturnType<typeof bare>[]) => signatureOf({ reason: 'SIGABRT', frames });
      assert.equal(abort(bare('linux-gate.so', '0x5e9'), bare('libc.so.6', '0x8a406')), 'libc.so.6');
    });

    it('distinguishes recursion from different calls in one module without symbols', () => {
      const address = '0x00007ffc00000000';
      const stack = (...offsets: string[]) =>
        offsets.map((offset) => ({ ...bare('game', offset), registers: { rsp: address } }) as const);
      const full = (...offsets: string[]) =>
        signatureOf({ reason: 'SIGSEGV / SEGV_ACCERR', address, frames: stack(...offsets) });
      assert.equal(full('0x10', '0x20', '0x30', '0x40', '0x50'), 'game+0x10');
      assert.equal(full('0x10', '0x20', '0x10', '0x20', '0x10', '0x20'), 'stackoverflow | game+0x10 | game+0x20');
    });
  });

  describe('with libraries of the operating system, known by their folders', () => {
    const bare = (module: string, module_offset: string) => frameOf({ module, module_offset });
    const device = (folder: string, library: string, offset: string, name: string) => {
      const paths = [
        '/data/app/com.studio.game/lib/arm64/libgame.so',
        `${folder}/${library}`,
        '/system/lib64/libui.so',
      ];
      const modules = paths.map((code_file) => ({
        code_file,
        filename: code_file.slice(code_file.lastIndexOf('/') + 1),
      }));
      const frames = [
        bare(library, offset),
        bare('libui.so', `${offset}0`),
        bare(library, `${offset}1`),
        frameOf({ module: 'libgame.so', function: name, module_offset: '0x10' }),
      ];
      return signatureOf({ os: 'android', reason: 'SIGSEGV / SEGV_MAPERR', frames, loaded: { modules, main: null } });
    };

    it('has one group for all devices, and one for each function of the game', () => {
      const one = device('/vendor/lib64', 'libfx.so', '0x1a2b', 'World::Draw()');
      assert.equal(one, 'libfx.so | World::Draw');
      assert.equal(device('/odm/lib64', 'libfx.so', '0x99', 'World::Draw()'), one);
      assert.equal(device('/vendor/lib64', 'libfx.so', '0x1a2b', 'World::Load()'), 'libfx.so | World::Load');
    });

    it("treats the same library in the game's own folder as code of the game", () => {
      assert.equal(
        device('/data/app/com.studio.game/lib/arm64', 'libfx.so', '0x1a2b', 'World::Draw()'),
        'libfx.so+0x1a2b',
      );
    });

    it('names only the innermost function of the system, because the others differ between versions', () => {
      const inside = (name: string) => frameOf({ module: '/usr/lib/libwidgets.so.3', function: name });
      const frames = [inside('widget_measure'), inside('widget_layout_v3'), ...stackOf('Menu::Open()')];
      assert.equal(signatureOf({ reason: 'SIGSEGV', frames }), 'widget_measure | Menu::Open');
    });

    it('never uses offsets in them, even if no frame has a name', () => {
      const frames = [bare('/usr/lib/libwidgets.so.3', '0x10'), bare('/usr/lib/liblayout.so', '0x20')];
      assert.equal(signatureOf({ reason: 'SIGSEGV', frames }), 'libwidgets.so.3');
      assert.equal(
        signatureOf({ reason: 'SIGSEGV', frames: [...frames, bare('/opt/game/game', '0x30')] }),
        'libwidgets.so.3 | game+0x30',
      );
    });
  });

  it('uses the first function when all frames are skipped', () => {
    assert.equal(signatureOf({ frames: stackOf('raise', 'abort', 'start_thread') }), 'abort');
  });

  it("uses the program's own message instead when all frames are skipped, unless the CPU faulted there", () => {
    const frames = stackOf('raise', 'abort', 'start_thread');
    const message = 'Check failed: size < 128';
    assert.equal(signatureOf({ frames, reason: 'SIGABRT', message }), 'Check failed: size < <n>');
    assert.equal(signatureOf({ frames, reason: 'SIGABRT', assertion: message }), 'Abort | Check failed: size < <n>');
    assert.equal(signatureOf({ frames, reason: 'SIGABRT' }), 'abort');
    assert.equal(signatureOf({ frames: stackOf('_int_free'), reason: 'SIGSEGV', message }), '_int_free');
    assert.equal(signatureOf({ frames: stackOf('abort', 'Pool::Take'), reason: 'SIGABRT', message }), 'Pool::Take');
  });

  it('explains in the notes why each frame was kept or skipped', () => {
    const frames = stackOf('raise', 'abort', '__assert_fail', 'memcpy', 'Pool::Take()', 'main');
    assert.deepEqual(makeSignature({ os: 'linux', frames }).notes, [
      'stack: started at `__assert_fail` (frame 2): sentinel (failed assert())',
      'stack: skipped `__assert_fail`: irrelevant (failed assert())',
      'stack: kept `memcpy`: prefix (memory copy, fill or comparison), so the next frame is added too',
      'stack: kept `Pool::Take`: neither irrelevant nor a prefix, so the signature ends here',
    ]);
  });

  it("uses a studio's own lists", () => {
    const lists = compileSignatureLists({ irrelevant: [{ match: /our::Assert\w*/, why: 'our check' }] });
    const input: SignatureInput = { os: 'linux', frames: stackOf('our::AssertEq(int, int)', 'Pool::Take()') };
    assert.equal(makeSignature(input, { lists }).signature, 'Pool::Take');
    assert.equal(makeSignature(input).signature, 'our::AssertEq');
  });
});

describe('makeSignature without frames', () => {
  it('says what is missing', () => {
    assert.equal(signatureOf({ frames: null }), 'EMPTY: no crashing thread identified');
    assert.equal(signatureOf({ frames: [] }), 'EMPTY: no frame data available');
    assert.equal(signatureOf({ frames: [], reason: 'SIGSEGV' }), 'EMPTY: no frame data available; SIGSEGV');
  });

  it('treats frames that are only addresses as no data, because they differ each time the game starts', () => {
    assert.equal(signatureOf({ frames: [frameOf({})], reason: 'SIGILL' }), 'EMPTY: no frame data available; SIGILL');
  });

  it('uses the masked message of a report', () => {
    assert.equal(signatureOf({ message: 'index 7 of 3\nmore' }), 'index <n> of <n>');
    assert.equal(signatureOf({ message: '=====\n=== Crash report ===\nno nest\nmore' }), 'no nest');
    assert.equal(signatureOf({ message: '*** Crash ***' }), '*** Crash ***');
  });

  const TRACES: readonly (readonly [string, string])[] = [
    [
      'NullReferenceException: not set\n  at Game.Player.Update () [0x00012] in <a1>:0\n  at x ()',
      'NullReferenceException: not set | Game.Player.Update',
    ],
    [
      'NullReferenceException: not set\nPlayer:Update () (at Assets/Player.cs:12)',
      'NullReferenceException: not set | Player:Update',
    ],
    ['SCRIPT ERROR: Invalid get\n   at: _process (res://player.gd:12)', 'SCRIPT ERROR: Invalid get | _process'],
    ["thread 'main' panicked\n   0: rust_begin_unwind\n", "thread 'main' panicked | rust_begin_unwind"],
    ['Error: x\n    at async load (file.js:3:1)', 'Error: x | load'],
  ];
  for (const [message, signature] of TRACES) {
    it(`adds the first frame of a stack trace in the message: ${signature}`, () =>
      assert.equal(signatureOf({ message }), signature));
  }

  it('prefers frames to the message', () => {
    assert.equal(signatureOf({ frames: stackOf('World::Tick()'), message: 'lost' }), 'World::Tick');
  });
});

describe('makeSignature with an assertion', () => {
  const frames = stackOf('Pool::Take()');

  const TEXTS: readonly (readonly [string, string])[] = [
    [
      'Assertion failed: Count > 3 [File:D:\\build\\Pool.cpp] [Line: 99]',
      'Abort | Assertion failed: Count > <n> | Pool::Take',
    ],
    [
      "game: /b/pool.cc:12: int Pool::Take(): Assertion `n > 0' failed.",
      "Abort | Assertion `n > <n>' failed. | Pool::Take",
    ],
    ['pool.cc:12: empty', 'Abort | empty | Pool::Take'],
    ['bad state: file pool.cc, line 12', 'Abort | bad state | Pool::Take'],
    ['x'.repeat(200), `Abort | ${'x'.repeat(77)}... | Pool::Take`],
    [' \n', 'Pool::Take'],
  ];
  for (const [assertion, signature] of TEXTS) {
    it(`returns ${signature}`, () => assert.equal(signatureOf({ frames, assertion }), signature));
  }
});

describe('makeSignature of a stack overflow', () => {
  const even = Array.from({ length: 60 }, (_, at) => (at % 2 ? 'odd(int)' : 'even(int)'));

  it('is the same wherever in the cycle the stack overflowed', () => {
    const reason = 'EXCEPTION_STACK_OVERFLOW';
    assert.equal(signatureOf({ reason, frames: stackOf(...even) }), 'stackoverflow | even | odd');
    assert.equal(signatureOf({ reason, frames: stackOf('leaf', ...even.slice(1)) }), 'stackoverflow | even | odd');
  });

  it('is detected on other operating systems by a fault near the stack pointer', () => {
    const [first, ...rest] = stackOf(...even);
    const frames = [{ ...first!, registers: { rsp: '0x7ffc10000000' } }, ...rest];
    const reason = 'SIGSEGV / SEGV_MAPERR';
    assert.equal(signatureOf({ reason, frames, address: '0x7ffc0ffffff8' }), 'stackoverflow | even | odd');
    assert.equal(signatureOf({ reason, frames, address: '0x0' }), 'even');
  });

  it('uses the ordinary frames when no calls repeat', () => {
    const reason = 'EXCEPTION_STACK_OVERFLOW';
    assert.equal(signatureOf({ reason, frames: stackOf('Big::Alloca()') }), 'stackoverflow | Big::Alloca');
  });
});

describe('makeSignature when memory runs out or a disk is broken', () => {
  const frames = stackOf('Texture::Load()');

  it('ignores the frames of a small allocation', () => {
    assert.equal(signatureOf({ frames, allocationSize: 4096 }), 'OOM | small');
  });

  it('keeps the frames of a large allocation and of one with an unknown size', () => {
    assert.equal(signatureOf({ frames, allocationSize: 1 << 30 }), 'OOM | large | Texture::Load');
    assert.equal(signatureOf({ frames, lastError: 'ERROR_COMMITMENT_LIMIT' }), 'OOM | unknown | Texture::Load');
    assert.equal(signatureOf({ frames, reason: 'Unreal Engine Out of Memory' }), 'OOM | unknown | Texture::Load');
  });

  it('recognizes the functions that run when memory is exhausted', () => {
    const stack = stackOf(
      'abort',
      'FGenericPlatformMemory::OnOutOfMemory(unsigned long, unsigned int)',
      'Texture::Load()',
    );
    assert.equal(signatureOf({ frames: stack }), 'OOM | unknown | Texture::Load');
  });

  it("reads the size from Unreal's message", () => {
    const assertion = 'Ran out of memory allocating 1048576 bytes with alignment 16';
    const text = 'Ran out of memory allocating <n> bytes with alignment <n>';
    assert.equal(signatureOf({ frames, assertion }), `Abort | ${text} | OOM | large | Texture::Load`);
  });

  it('marks a page that could not be read from disk', () => {
    const reason = 'EXCEPTION_IN_PAGE_ERROR_READ / STATUS_DEVICE_DATA_ERROR';
    assert.equal(signatureOf({ frames, reason }), 'bad hardware | Texture::Load');
  });
});

describe('the text of a signature', () => {
  it('is cut to 255 characters, ending in dots', () => {
    const { signature, notes } = makeSignature({ os: 'linux', frames: stackOf('free', 'x'.repeat(400)) });
    assert.equal(signature.length, 255);
    assert.ok(signature.endsWith('xxx...'));
    assert.match(notes.at(-1) ?? '', /^truncate: shortened from \d+ to 255/);
  });

  it('does not end in half a character', () => {
    const signature = signatureOf({ message: `${'x'.repeat(251)}😀${'y'.repeat(20)}` });
    assert.ok(signature.isWellFormed());
    assert.equal(signature, `${'x'.repeat(251)}...`);
  });

  it('contains no control characters and keeps letters of all scripts', () => {
    assert.equal(signatureOf({ frames: stackOf('ゲーム::更新\u0000\u202e()') }), 'ゲーム::更新');
  });
});
