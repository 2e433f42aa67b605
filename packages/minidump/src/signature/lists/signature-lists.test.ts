// Checks that every list entry follows the rules for entries, and that well-known labels are classified correctly.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { irrelevantPatterns } from './irrelevant.ts';
import { compilePatterns, type Pattern } from './pattern-list.ts';
import { prefixPatterns } from './prefix.ts';
import { abortReasons, faultReasons, runtimeModules } from './runtime-aborts.ts';
import { abortSentinels, handlingSentinels, sentinelPatterns } from './sentinel.ts';
import { compileSignatureLists, defaultLists, trimPatterns } from './signature-lists.ts';

const LISTS: Readonly<Record<string, readonly Pattern[]>> = {
  irrelevantPatterns,
  prefixPatterns,
  sentinelPatterns,
  handlingSentinels,
  abortSentinels,
  trimPatterns,
  abortReasons,
  faultReasons,
  runtimeModules,
};

describe('list entries', () => {
  for (const [name, list] of Object.entries(LISTS)) {
    it(`of ${name} have a description, no flags, no anchors, no numbered groups and no duplicates`, () => {
      for (const { match, why } of list) {
        assert.ok(why.length > 3, String(match));
        assert.equal(match.flags, '', String(match));
        assert.doesNotMatch(match.source, /^\^|(?<!\\)\$$|(?<!\\)\((?!\?)/, String(match));
      }
      assert.equal(new Set(list.map(({ match }) => match.source)).size, list.length);
    });

    it(`of ${name} are found as if all were tried in order`, () => {
      const { find } = compilePatterns(list);
      const expressions = list.map(({ match }) => new RegExp(`^(?:${match.source})$`));
      for (const { source } of expressions) {
        // The generator of labels that match doesn't know `\b`.
        const labels = fc.stringMatching(new RegExp(source.replaceAll('\\b', '')));
        const isRight = (label: string) =>
          assert.equal(find(label), list[expressions.findIndex((expression) => expression.test(label))]);
        fc.assert(fc.property(labels, isRight), { numRuns: 10 });
      }
    });

    it(`of ${name} match any label quickly`, () => {
      const compiled = compilePatterns(list);
      const pieces = [
        'a',
        '_',
        '.',
        ':',
        '1',
        '<T>',
        '::',
        'mem',
        'std::',
        'core::',
        ' as ',
        'lib',
        '.so.1',
        '-',
        'pthread_',
        'T<T>::',
      ];
      const start = process.cpuUsage();
      for (const piece of pieces) compiled.find(`${piece.repeat(255 / piece.length)}\u0001`);
      for (const piece of pieces) compiled.find(`<${piece.repeat(250 / piece.length)}`);
      assert.ok(process.cpuUsage(start).user < 300_000);
    });
  }
});

describe('the default lists', () => {
  const IRRELEVANT = [
    'abort',
    'gsignal',
    '__pthread_kill_implementation',
    '__assert_fail',
    '__stack_chk_fail',
    '_int_free',
    'linux-gate.so',
    'std::terminate',
    '__cxa_throw',
    '_Unwind_Resume',
    'std::__invoke_impl<T>',
    'RaiseException',
    '_CxxThrowException',
    'KiUserExceptionDispatcher',
    'RtlpAllocateHeapInternal',
    'BaseThreadInitThunk',
    '_dispatch_call_block_and_release',
    '__CFRUNLOOP_IS_CALLING_OUT_TO_A_BLOCK__',
    'core::panicking::panic_fmt',
    'rust_begin_unwind',
    'runtime.gopanic',
    'FDebug::AssertFailed',
    'FMsg::Logf',
    'FWindowsErrorOutputDevice::Serialize',
    'il2cpp::vm::Exception::Raise',
    'mono_runtime_invoke',
    'scripting_method_invoke',
    'handle_crash',
    '_err_print_error',
    'SDL_ReportAssertion',
    'Sys_Error',
    '__wine_syscall_dispatcher',
    'gameoverlayrenderer64.dll',
    '@0x7ffca8a40608',
    'google_breakpad::ConvertUTF8toUTF32',
  ];
  const PREFIX = [
    'memcpy',
    'strlen',
    'malloc',
    'free',
    'operator new',
    'objc_msgSend',
    'std::vector<T>::at',
    'ntdll.dll',
    'nvwgf2umx.dll',
    'libc.so.6',
    'libnvidia-glcore.so',
    'radeonsi_dri.so',
    'TArray<T>::operator[]',
    'UObject::ProcessEvent',
    'FMemory::Realloc',
    'PPtr<T>::operator T*',
    'Ref<T>::operator->',
    'CUtlVector<T>::operator[]',
    'hashbrown::raw::RawTable<T>::insert',
    '@0x0',
  ];
  const DECISIVE = [
    'World::Tick',
    'freeTexture',
    'abortMission',
    'base_damage',
    'server_tick',
    'arena_spawn',
    'Player_Update',
    'render::draw<T>',
    'mi_casa',
    'large_texture_load',
    'Logger::Write',
    'main',
    'game',
    'start',
    'memcpyTiles',
    'virtual_stick_poll',
    'killPlayer',
    'Chat::LogMessage::Add',
    'google::Map::Load',
    'AudioOutputDevice::Serialize',
    'EnsureFailedQuest',
    'QMessageBox::fatal',
    'g_logger_start',
    'VerifyPurchase',
    'node::Draw',
    'base::Camera::Update',
    'android::GamePad::Poll',
    'Swift.Bird.fly',
    'boost::Rocket::Fire',
    'Thrower.ThrowHelperless',
    'winrtShop::Open',
    'XErrorBar',
  ];

  for (const label of IRRELEVANT) {
    it(`treat \`${label}\` as irrelevant`, () => assert.ok(defaultLists.irrelevant.find(label)));
  }
  for (const label of PREFIX) {
    it(`treat \`${label}\` as a prefix`, () => {
      assert.ok(defaultLists.prefix.find(label));
      assert.equal(defaultLists.irrelevant.find(label), undefined);
    });
  }
  for (const label of DECISIVE) {
    it(`do not contain \`${label}\`, a name from game code`, () => {
      assert.equal(defaultLists.irrelevant.find(label) ?? defaultLists.prefix.find(label), undefined);
    });
  }

  it("check a studio's entries before the built-in ones", () => {
    const lists = compileSignatureLists({ irrelevant: [{ match: /ab.*/, why: 'ours' }] });
    assert.equal(lists.irrelevant.find('abort')?.why, 'ours');
    assert.equal(defaultLists.irrelevant.find('abort')?.why, 'libc abort');
  });

  it('match nothing when empty', () => {
    assert.equal(compilePatterns([]).find(''), undefined);
  });
});
