// Tests name normalization with names from compilers, demanglers and symbol files.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { normalizeName } from './normalize-name.ts';

/** A name and its normalized form. The file is given if it decides the language. */
type Case = readonly [name: string, normalized: string, file?: string];

const HASH = '0123456789ABCDEF0123456789ABCDEF01234567';

const CASES: Readonly<Record<string, readonly Case[]>> = {
  'arguments and return types': [
    ['main', 'main'],
    ['draw(int, char const*)', 'draw'],
    ['draw (int, int)', 'draw'],
    ['void World::Tick(float)', 'World::Tick'],
    ['unsigned long long count(void)', 'count'],
    ['static void * Pool<Arena>::grab(unsigned __int64)', 'Pool<T>::grab'],
    ['class AActor * UWorld::SpawnActor(class UClass *,struct FVector const &)', 'UWorld::SpawnActor'],
    ['auto level() -> std::vector<int>', 'level'],
    ['int (*signal(int, void (*)(int)))(int)', 'signal'],
    ['int (*(*pick(int))(char))(long)', 'pick'],
    ['decltype(auto) pick<int>(int)', 'pick<T>'],
    ['decltype (f(0)) call<int>(int)', 'call<T>'],
    ['std::enable_if<is_same_v<int, int>, int>::type run<int>(int)', 'run<T>'],
    ['sort(int (*)(int, int), int*)', 'sort'],
    ['apply(void (World::*)(float))', 'apply'],
  ],
  'qualifiers and clones after the arguments': [
    ['World::size() const', 'World::size'],
    ['World::size const', 'World::size'],
    ['World::size() const volatile &', 'World::size'],
    ['Handle::operator=(Handle const&)&', 'Handle::operator='],
    ['World::take() &&', 'World::take'],
    ['World::stop() noexcept', 'World::stop'],
    ['draw(int) requires Drawable<int>', 'draw'],
    ['World::step(int) [clone .cold]', 'World::step'],
    ['World::step(int) [clone .isra.0] [clone .part.3]', 'World::step'],
    ['World::step(int) (.cold.12)', 'World::step'],
    ['sum<int>(int) [with T = int]', 'sum<T>'],
  ],
  'template arguments': [
    ['Cache<Key, std::pair<A, B> >::get<int>', 'Cache<T>::get<T>'],
    ['Array<(a>b)>::at', 'Array<T>::at'],
    ['Array<(a<b)>::at', 'Array<T>::at'],
    ['Array<(1->*2)>::at', 'Array<T>::at'],
    ['Call<&World::operator->>::run', 'Call<T>::run'],
    ['std::function<int (std::string const&)>::operator()(std::string const&) const', 'std::function<T>::operator()'],
    ['thread_start<unsigned int (__cdecl*)(void* __ptr64)>', 'thread_start<T>'],
    ['Broken<int', 'Broken<T>'],
    ['<.plt ELF section in game>', '<.plt ELF section in game>'],
    ['<deduplicated_symbol>', '<deduplicated_symbol>'],
    ['Program::<Main>$', 'Program::<Main>$'],
    ['<Main>$', '<Main>$'],
    ['<T as Draw>::draw', '<T as Draw>::draw'],
    ['std::to_string[abi:cxx11](int)', 'std::to_string'],
  ],
  operators: [
    ['Matrix::operator()(int, int) const', 'Matrix::operator()'],
    ['operator()', 'operator()'],
    ['Vec::operator[](unsigned long)', 'Vec::operator[]'],
    ['Ptr<World>::operator->() const', 'Ptr<T>::operator->'],
    ['bool operator< <int>(Vec<int> const&, Vec<int> const&)', 'operator<<T>'],
    ['bool operator==(Vec const&, Vec const&)', 'operator=='],
    ['Version::operator<=>(Version const&) const', 'Version::operator<=>'],
    ['std::ostream& operator<< <char>(std::ostream&, char)', 'operator<<<T>'],
    ['Vec operator-(Vec const&)', 'operator-'],
    ['operator new(unsigned long)', 'operator new'],
    ['operator new[](unsigned long)', 'operator new[]'],
    ['operator delete(void*, unsigned long)', 'operator delete'],
    ['operator"" _km(long double)', 'operator"" _km'],
    ['Version::operator bool() const', 'Version::operator bool'],
    ['Vec<int>::operator std::vector<int, float>() const', 'Vec<T>::operator std::vector<T>'],
    ['Heap<World *>::operator World* const &()', 'Heap<T>::operator World* const&'],
    ['cooperator(int)', 'cooperator'],
  ],
  'lambdas and anonymous namespaces': [
    ['main::$_0::operator()(int) const', 'main::$::operator()'],
    [
      'main::$_0::operator()(A const&) const::{lambda(B)#1}::operator()(int) const',
      'main::$::operator()::{lambda}::operator()',
    ],
    ['run(int)::{lambda(int)#2}::operator()(int) const', 'run::{lambda}::operator()'],
    ["run()::'lambda'(int)::operator()(int) const", "run::'lambda'::operator()"],
    ["run()::'lambda0'(int)::operator()(int) const", "run::'lambda'::operator()"],
    ["run()::'unnamed1'::operator()() const", "run::'unnamed'::operator()"],
    ['run()::{unnamed type#2}::stop()', 'run::{unnamed type}::stop'],
    ['run(int)::{lambda(auto:1)#12}::_FUN(int)', 'run::{lambda}::_FUN'],
    ['<lambda_2d1f0a>::operator()(void)', '<lambda>::operator()'],
    ['Cache<A>::get<main(int, char**)::<lambda(const A&)> >', 'Cache<T>::get<T>'],
    [
      "`public: void __cdecl World::Load(int)'::`2'::<lambda_1>::operator()(int)",
      "`World::Load'::<lambda>::operator()",
    ],
    ['(anonymous namespace)::draw(int)', '(anonymous namespace)::draw'],
    ["`anonymous namespace'::draw", '(anonymous namespace)::draw'],
    ['{anonymous}::draw(int)', '(anonymous namespace)::draw'],
    ['_anonymous namespace_::draw(int)', '(anonymous namespace)::draw'],
    ['render::_anonymous_namespace_::draw', 'render::(anonymous namespace)::draw'],
    ['void __cdecl render::?A0x1f2e3d4c::draw(int)', 'render::(anonymous namespace)::draw'],
    ['_GLOBAL__N_1::draw(int)', '(anonymous namespace)::draw'],
    ['int (anonymous namespace)::draw<int>(int)', '(anonymous namespace)::draw<T>'],
    ['<name omitted>', '<name omitted>'],
    ['<unknown in game.dll>', '<unknown in game.dll>'],
  ],
  'inline namespaces of libraries': [
    ['std::__ndk1::vector<int, std::__ndk1::allocator<int> >::at(unsigned long)', 'std::vector<T>::at'],
    ['std::__Cr::basic_string<char>::append(char const*)', 'std::basic_string<T>::append'],
    ['void std::__1::__function::__func<$_0, void ()>::operator()()', 'std::__function::__func<T>::operator()'],
    ['std::__2::mutex::lock()', 'std::mutex::lock'],
    ['std::__fb1::mutex::lock()', 'std::mutex::lock'],
    ['std::__cxx11::basic_string<char>::size() const', 'std::basic_string<T>::size'],
    ['std::__cxx1998::vector<int>::at(unsigned long)', 'std::vector<T>::at'],
    ['std::filesystem::__cxx11::path::path()', 'std::filesystem::path::path'],
    ['std::chrono::_V2::steady_clock::now()', 'std::chrono::steady_clock::now'],
    ['std::__detail::_Map_base<int>::at(int)', 'std::__detail::_Map_base<T>::at'],
    ['Heap<int>::operator std::__ndk1::vector<int>() const', 'Heap<T>::operator std::vector<T>'],
    ['absl::lts_20230802::Mutex::Lock()', 'absl::Mutex::Lock'],
    ['nlohmann::json_abi_v3_11_3::basic_json<int>::at(int)', 'nlohmann::basic_json<T>::at'],
    ['void fmt::v11::vprint(int)', 'fmt::vprint'],
    ['boost::log::v2s_mt_posix::core::get()', 'boost::log::core::get'],
    ['icu_72::UnicodeString::append(int)', 'icu::UnicodeString::append'],
    ['tbb::detail::r1::execute(int)', 'tbb::detail::execute'],
    ['game::v2::Load(int)', 'game::v2::Load'],
    ['game::__1::Load(int)', 'game::__1::Load'],
  ],
  'compiler-generated functions': [
    ['non-virtual thunk to Button::Paint(int)', 'Button::Paint'],
    ["Button::`scalar deleting destructor'(unsigned int)", "Button::`scalar deleting destructor'"],
    ["`dynamic initializer for 'gWorld''", "`dynamic initializer for 'gWorld''"],
    ["[thunk]: virtual void Button::Paint`adjustor{8}' (int)", 'Button::Paint'],
    ['Button::~Button()', 'Button::~Button'],
    ['draw.constprop.0', 'draw'],
    ['draw.isra.0.part.3.cold', 'draw'],
    ['draw.warm', 'draw'],
    ['draw.cold.1', 'draw'],
    ['draw.lto_priv.0', 'draw'],
    ['draw.llvm.1234567890123456789', 'draw'],
    ['draw._omp_fn.12', 'draw'],
    ['draw.omp_outlined_debug__.3', 'draw'],
    ['.omp_outlined..12', '.omp_outlined'],
    ['draw.4711', 'draw'],
    ['draw.__uniq.123456789', 'draw'],
    ['draw.arch_x86_64_v3.0', 'draw'],
    ['_Z4drawv.resume', '_Z4drawv'],
    ['camera.resume', 'camera.resume'],
    ['load$_ResumeCoro$1', 'load'],
    ['main$fin$0', 'main'],
    ['World::Load$catch$3', 'World::Load'],
    ["`World::Load'::`1'::dtor$0", 'World::Load'],
    ['main$filt$1', 'main$filt'],
    ['draw$c303f2d2360db58ed70a2d0ac7ed911b', 'draw'],
    ['__AArch64ADRPThunk_draw', 'draw'],
    ['__draw_veneer', 'draw'],
    ['@ILT+25(_draw)', '_draw'],
    ['__draw_block_invoke_2', '__draw_block_invoke'],
    ['__destroy_helper_block_e8_32s40s', '__destroy_helper_block_'],
    ['__cxx_global_var_init.12', '__cxx_global_var_init'],
    ["Button::`vcall'{8,{flat}}", "Button::`vcall'"],
    ['memcpy@@GLIBC_2.14', 'memcpy'],
    ['memcpy@plt', 'memcpy'],
    ['_WinMain@16', '_WinMain'],
    ['public: virtual void __thiscall World::Tick(float)', 'World::Tick'],
  ],
  'Unreal, Unity and Mono': [
    [
      'TBaseUObjectMethodDelegateInstance<0,class AHud,void __cdecl(void)>::ExecuteIfSafe',
      'TBaseUObjectMethodDelegateInstance<T>::ExecuteIfSafe',
    ],
    ['UObject::ProcessEvent(UFunction*, void*)', 'UObject::ProcessEvent'],
    ['TArray<FHitResult,TSizedDefaultAllocator<32> >::operator[](int)', 'TArray<T>::operator[]'],
    ['AMyCharacter::execJump(UObject*, FFrame&, void* const)', 'AMyCharacter::execJump'],
    [`PlayerController_Update_m${HASH}`, 'PlayerController_Update'],
    [`List_1_Add_m${HASH}_gshared`, 'List_1_Add'],
    ['(wrapper managed-to-native) UnityEngine.Object:Destroy (UnityEngine.Object)', 'UnityEngine.Object:Destroy'],
  ],
  'C#': [
    ['Game.Player+<Start>d__12.MoveNext()', 'Game.Player+<Start>d.MoveNext'],
    ['Game.Player/<Start>d__12:MoveNext ()', 'Game.Player/<Start>d:MoveNext'],
    ['Player+<Start>c__Iterator0.MoveNext', 'Player+<Start>c__Iterator.MoveNext'],
    ['Game.Menu+<>c__DisplayClass3_0.<Open>b__1(System.Int32)', 'Game.Menu+<>c__DisplayClass.<Open>b'],
    ['Game.Menu+<>c.<Open>b__3_0', 'Game.Menu+<>c.<Open>b'],
    ['Game.Menu.<Open>g__Fade|3_0(float)', 'Game.Menu.<Open>g__Fade'],
    ['Game.Menu.<Open>g__Fade2|3_0(float)', 'Game.Menu.<Open>g__Fade2'],
    [`U3CStartU3Ed__12_MoveNext_m${HASH}`, '<Start>d_MoveNext'],
    [`Menu_U3COpenU3Eb__3_0_m${HASH}_gshared_inline`, 'Menu_<Open>b'],
    ['Player_Update_m1234567890', 'Player_Update'],
    ['System.Collections.Generic.List`1[System.Int32].get_Item(Int32)', 'System.Collections.Generic.List<T>.get_Item'],
    ['System.Collections.Generic.List`1<T>.Add (T)', 'System.Collections.Generic.List<T>.Add'],
    ['System.Void Game.Pool`1<Game.Shot>::Take(System.Int32)', 'Game.Pool<T>::Take'],
    ['Game.Pool.Take[T](T item)', 'Game.Pool.Take<T>', 'Pool.cs'],
    [
      'Unity.Jobs.IJobExtensions.JobStruct`1<Game.MoveJob>.Execute(ref Game.MoveJob data, int) -> void_0123456789abcdef0123456789abcdef from Assembly-CSharp',
      'Unity.Jobs.IJobExtensions.JobStruct<T>.Execute',
    ],
    ['Game.MoveJob.Execute_0123456789abcdef0123456789abcdef', 'Game.MoveJob.Execute'],
  ],
  Rust: [
    ['game::tick::h0123456789abcdef', 'game::tick'],
    ['list::head', 'list::head', 'src/list.rs'],
    ['<job::Heap<BODY> as job::Job>::execute', '<job::Heap<T> as job::Job>::execute'],
    [
      'core::slice::index::<impl core::ops::Index<I> for [T]>::index',
      'core::slice::index::<impl core::ops::Index<T> for [T]>::index',
    ],
    ['game[8787f43e282added]::main::{closure#0}', 'game::main::{{closure}}', 'main.rs'],
    ['game::main::{{closure}}::h0123456789abcdef', 'game::main::{{closure}}'],
    ['game::main::closure$0', 'game::main::{{closure}}', 'C:\\game\\main.rs'],
    ['game::tick::h0123456789abcdef.llvm.1234567', 'game::tick'],
    ['game::tick::h0123456789abcdef (.llvm.1234567)', 'game::tick'],
    ['game::tick::h0123456789abcdef::{{closure}}', 'game::tick::{{closure}}'],
    ['<game::Grid<u32>>::cell', 'game::Grid<T>::cell'],
    ['<game::world::World>::tick', 'game::world::World::tick'],
    ['<game::Grid<u32>>::cell::<u8>', 'game::Grid<T>::cell<T>'],
    ['core::mem::swap::<game::World>', 'core::mem::swap<T>'],
    ['<[game::Shot]>::sort_by::<game::main::{closure#0}>', '[game::Shot]::sort_by<T>'],
    ['game::load::{async_fn_env#0}::poll', 'game::load::{{async_fn}}::poll'],
    ['game::world::impl$3::tick', 'game::world::{{impl}}::tick'],
    ['game::load::async_block$1', 'game::load::{{async_block}}'],
    [
      '<dyn game::Tool as core::ops::function::FnOnce<()>>::call_once::{shim:vtable#0}',
      '<dyn game::Tool as core::ops::function::FnOnce<T>>::call_once::{{shim:vtable}}',
    ],
    ['<game::Grid<u32>>::cell::<u8>', 'game::Grid<T>::cell<T>', '/src/grid.rs'],
    ['static void arc::Arc<style::Data>::drop_slow<style::Data>()', 'arc::Arc<T>::drop_slow<T>', 'arc.rs'],
    [
      '_$LT$alloc..vec..Vec$LT$T$GT$$u20$as$u20$core..ops..Drop$GT$::drop::h0123456789abcdef',
      '<alloc::vec::Vec<T> as core::ops::Drop>::drop',
    ],
    ['_ZN4game4main17h0123456789abcdefE', '_ZN4game4mainE'],
    ['core::ops::function::FnOnce::call_once{{vtable.shim}}', 'core::ops::function::FnOnce::call_once{{vtable.shim}}'],
  ],
  'Go, Swift and Objective-C': [
    ['main.(*Pool[go.shape.int]).Get', 'main.(*Pool).Get'],
    ['main.load.func2.1', 'main.load.func'],
    ['main.(*Pool).Get.gowrap3', 'main.(*Pool).Get.gowrap'],
    ['main.init.0', 'main.init'],
    ['github.com/studio/net.Dial[...]', 'github.com/studio/net.Dial', '/src/net/dial.go'],
    ['main.main.func1', 'main.main.func', 'main.go'],
    ['-[NSApplication _crashOnException:]', '-[NSApplication _crashOnException:]'],
    ['+[Store(Cloud) load:into:]', '+[Store(Cloud) load:into:]'],
    ['__45-[Store load:]_block_invoke_2', '__45-[Store load:]_block_invoke'],
    ['Game.Player.update(delta: Swift.Double) -> ()', 'Game.Player.update', 'Player.swift'],
    ['closure #1 (Swift.Int) -> () in Game.Player.update(delta: Swift.Double) -> ()', 'closure in Game.Player.update'],
    ['protocol witness for Game.Ticks.tick() -> () in conformance Game.Player : Game.Ticks in Game', 'Game.Ticks.tick'],
    ['Swift runtime failure: arithmetic overflow', 'Swift runtime failure: arithmetic overflow'],
    ['-[Store load:].cold.1', '-[Store load:]'],
    ['aim #2 (x: Swift.Int) -> () in Game.Player.update() -> ()', 'aim in Game.Player.update'],
    ['(2) suspend resume partial function for Game.Player.load() async -> ()', 'Game.Player.load'],
    ['outlined init with copy of Game.Player', 'Game.Player'],
    ['default argument 1 of Game.Player.load(x: Swift.Int) -> ()', 'default argument of Game.Player.load'],
    ['generic specialization <Swift.Int> of Game.pick<A>(A) throws -> A', 'Game.pick<T>'],
    ['Game.Player.health.getter : Swift.Int', 'Game.Player.health.getter', 'Player.swift'],
    ['static Game.Player.make() async -> Game.Player', 'Game.Player.make', 'Player.swift'],
  ],
};

describe('normalizeName', () => {
  for (const [group, cases] of Object.entries(CASES)) {
    describe(group, () => {
      for (const [name, normalized, file = null] of cases) {
        it(`normalizes \`${name}\` to \`${normalized}\``, () => assert.equal(normalizeName(name, file), normalized));
      }
    });
  }

  it('is tested with more than eighty kinds of names', () => {
    assert.ok(Object.values(CASES).flat().length > 80);
  });

  it('returns a normalized name unchanged', () => {
    for (const [, normalized, file = null] of Object.values(CASES).flat()) {
      if (/[<{`]|operator|\bin\b|default argument/.test(normalized)) continue;
      assert.equal(normalizeName(normalized, file), normalized);
    }
  });

  it('respects the language of the file, even for a cached name', () => {
    const name = 'void game::load<int>(char)';
    for (const _ of [1, 2]) {
      assert.equal(normalizeName(name, 'load.cpp'), 'game::load<T>');
      assert.equal(normalizeName(name, 'load.go'), name);
    }
  });

  // A symbol file can contain any file name.
  it('does not confuse part of a file extension with part of the name', () => {
    assert.equal(normalizeName('game::save<int>(char)', 'save.go void'), 'game::save<T>');
    assert.equal(normalizeName('void game::save<int>(char)', 'save.go'), 'void game::save<int>(char)');
  });

  it('handles more names than the cache holds', () => {
    const names = Array.from({ length: 10_000 }, (_, no) => `draw${no}`);
    for (const name of [...names, ...names]) assert.equal(normalizeName(`${name}(int)`, null), name);
  });

  it('returns the text itself if nothing would be left of it', () => {
    assert.equal(normalizeName('[unknown]', null), '[unknown]');
    assert.equal(normalizeName(' () -> () ', 'x.swift'), '() -> ()');
  });
});

describe('the running time of normalizeName', () => {
  const LENGTH = 200_000;
  /** Brackets that are unbalanced or repeated, and words that make a careless pattern backtrack. */
  const HOSTILE = [
    ...[
      '<',
      '(',
      '{',
      '[',
      '`',
      '<(',
      '>)',
      'a<b>',
      'a()',
      '(*',
      '.cold',
      '->',
      'static ',
      'a() const',
      '&',
      ' ',
      'a/',
    ],
    ...[
      'operator<',
      'operator ',
      'closure #1 in ',
      "`a'",
      '<a as ',
      'a::<b>',
      '$LT$',
      '_block_invoke',
      '{a()',
      '@',
      '::',
    ],
  ];

  it('is short for any number of nested declarators', () => {
    const depth = 20_000;
    const name = `${'(*'.repeat(depth)}f${')()'.repeat(depth)}`;
    assert.equal(normalizeName(name, null).slice(0, 4), '(*(*');
  });

  for (const piece of HOSTILE) {
    it(`is linear for repetitions of \`${piece}\``, () => {
      for (const file of [null, 'a.rs', 'a.go', 'a.swift']) {
        const name = `f${piece.repeat(LENGTH / piece.length)}\n`;
        const start = process.cpuUsage();
        normalizeName(name, file);
        const { user } = process.cpuUsage(start);
        assert.ok(user < 1_000_000, `${user} µs`);
      }
    });
  }
});
