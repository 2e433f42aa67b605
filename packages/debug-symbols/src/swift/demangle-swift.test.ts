// Tests names of Swift that are written as its document about mangling says.
// cspell:disable
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { demangleSwift } from './demangle-swift.ts';

const NAMES: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'functions with their parameters': {
    $s4game3runyyF: 'run()',
    $s4game3addyS2i_SitF: 'add(Int, Int)',
    $s4game4move1x1yySi_SitF: 'move(x: Int, y: Int)',
    $s4game4move_2byySi_SitF: 'move(_: Int, by: Int)',
    $s4game4loadyyYaKF: 'load()',
    $s4game3runyySiSo7AnErrorVYKF: 'run(Int)',
    _$s4game3runyyF: 'run()',
    $S4game3runyyF: 'run()',
    $e4game3runyyF: 'run()',
  },
  'methods, also of generic types, extensions and local types': {
    $s4game6PlayerC6update5deltaySd_tF: 'Player.update(delta: Double)',
    $s4game6PlayerC4makeACyFZ: 'static Player.make()',
    $s4game3BoxV3put4itemyx_tF: 'Box.put(item: A)',
    $s4game3BoxVyxGAA4RoomA2aEP4openyyFTW: 'protocol witness for Room.open() in conformance Box<A>',
    $sSS4gameE5shoutSSyF: 'String.shout()',
    $sSa4gameE4lastxyF: 'Array.last()',
    $sSa4gameSiRszlE4lastSivg: 'Array<A>.last.getter',
    $s4game3runyyF4StepL_V4takeyyF: 'take() in Step #1 in run()',
    $s4game13PlayerManagerC03getB0AA0B0CyF: 'PlayerManager.getPlayer()',
    $s4game3runyyF6helperL0_5timesySi_tF: 'helper #2 (times: Int) in run()',
    $s4game3runyyF1xL_Sivg: 'getter of x #1 in run()',
  },
  'what is private to a file': {
    $s4game6PlayerC6secret33_0123456789ABCDEF0123456789ABCDEFLLyyF: 'Player.secret()',
  },
  'initialisers and the end of an object': {
    $s4game6PlayerC4nameACSS_tcfC: 'Player.__allocating_init(name: String)',
    $s4game6PlayerC4nameACSS_tcfc: 'Player.init(name: String)',
    $s4game5PointV1xACSi_tcfC: 'Point.init(x: Int)',
    $s4game6PlayerCACycfC: 'Player.__allocating_init()',
    $s4game3BoxV1a4withACyxGx_qd__tclufC: 'Box.init<A>(a: A, with: A1)',
    $s4game6PlayerCfd: 'Player.deinit',
    $s4game6PlayerCfD: 'Player.__deallocating_deinit',
  },
  'accessors of variables and subscripts': {
    $s4game6PlayerC5scoreSivg: 'Player.score.getter',
    $s4game6PlayerC5scoreSivs: 'Player.score.setter',
    $s4game6PlayerC5scoreSivM: 'Player.score.modify',
    $s4game6PlayerC5scoreSivr: 'Player.score.read',
    $s4game6PlayerC5scoreSivW: 'Player.score.didset',
    $s4game6PlayerC5scoreSivgZ: 'static Player.score.getter',
    $s4game6PlayerC6onDoneyycvg: 'Player.onDone.getter',
    $s4game6PlayerC5scoreSivpfi: 'variable initialization expression of Player.score',
    $s4game5BoardVyS2i_Sitcig: 'Board.subscript.getter',
    $s4game5scoreSivau: 'score.unsafeMutableAddressor',
    $s4game5score_WZ: 'one-time initialization function for score',
    $s4game6PlayerC5scoreSivpACTK: 'key path getter for Player.score : Player',
  },
  'generic types and functions': {
    $s4game4swapyyxz_q_ztr0_lF: 'swap<A, B>(inout A, inout B)',
    $s4game3runyyx_qd__tr__lF: 'run<A><A1>(A, A1)',
    $s4game3run1ayx_tAA4RoomRzlF: 'run<A>(a: A)',
    $s4game3runyyx_7ElementQztSTRzlF: 'run<A>(A, A.Element)',
    $s4game3runyyxxQp_tRvzlF: 'run<each A>(repeat A)',
    $s4game3runyySaySiGF: 'run([Int])',
    $s4game3runyySDySSSaySiGGSgF: 'run([String : [Int]]?)',
    $s4game3runyySaySiG_ShySSGtF: 'run([Int], Set<String>)',
    $s4game3runyyAA5OuterV5InnerVySi_SSGF: 'run(Outer<Int>.Inner<String>)',
  },
  'other types': {
    $s4game3runyyAA4Room_pF: 'run(Room)',
    $s4game3runyyAA4Room_AA4DoorpSgF: 'run((Room & Door)?)',
    $s4game3runyyAA4Room_AA6PlayerCXcF: 'run(Player & Room)',
    $s4game3runyyypXpF: 'run(Any.Type)',
    $s4game3runyyyXlF: 'run(Swift.AnyObject)',
    $s4game3runyyAA4Room_pmF: 'run(Room.Protocol)',
    $s4game3runyySi_SSt_tF: 'run((Int, String))',
    $s4game4eachyyySi_SitXEF: 'each((Int, Int))',
    $s4game3run1fySiSSc_tF: 'run(f: (String))',
    $s4game3runyyySiXBF: 'run(@convention(block) (Int))',
    $s4game3runyyySiXKF: 'run(@autoclosure (Int))',
    $s4game3run1ayyyScMYcc_tF: 'run(a: @MainActor ())',
    $s4game3run1ayyyYbXE_tF: 'run(a: @Sendable ())',
    $s4game3run1aySiz_tF: 'run(a: inout Int)',
    $s4game3run1ayAA6PlayerCn_tF: 'run(a: __owned Player)',
    $s4game3run1ayAA6PlayerCh_tF: 'run(a: __shared Player)',
    $s4game3run1ayAA6PlayerCYi_tF: 'run(a: isolated Player)',
    $s4game3runyySid_tF: 'run(Int...)',
    $s4game3runyySo8NSObjectC_yXlSgtF: 'run(NSObject, Swift.AnyObject?)',
    $s4game3runQryF: 'run()',
    $s4game3use1ayAA4makeQryFQOyQo__tF: 'use(a: <<opaque return type of make()>>.0)',
  },
  'closures, thunks and what the optimiser made': {
    $s4game3runyyFySicfU0_ySScfU_: 'closure #1 (String) in closure #2 (Int) in run()',
    $s4game3runyyFyycfu_: 'implicit closure #1 () in run()',
    $s4game3runyyFyyYaYbcfU_TATQ0_: 'partial apply for closure #1 @Sendable () in run()',
    $s4game3runyyFSbyKXKfu_: 'implicit closure #1 in run()',
    $s4game3runyyFxxclufU_: 'closure #1 <A>(A) in run()',
    $s4game3run5timesySi_tFfA_: 'default argument 0 of run(times: Int)',
    $s4game6PlayerC4drawyyFTo: '@objc Player.draw()',
    $s4game6PlayerC4drawyyFTj: 'dispatch thunk of Player.draw()',
    $s4game6PlayerC4drawyyFTc: 'curry thunk of Player.draw()',
    $s4game3runyyFyycfU_TA: 'partial apply for closure #1 () in run()',
    $s4game6PlayerC3runyyFAA4BaseCADyyFTV: 'vtable thunk for Base.run() dispatching to Player.run()',
    $sS2iIegyd_S2iIegnr_TR: 'thunk for @escaping @callee_guaranteed (@unowned Int) -> (@unowned Int)',
    $sIeghH_ytIegHr_TR: 'thunk for @escaping @callee_guaranteed @Sendable @async () -> ()',
    $s4game3runyyFTm: 'run()',
    $s4game3runyyxlFSi_Tg5: 'specialized run<A>(A)',
    $s4game3runyySiFTf4d_n: 'specialized run(Int)',
    $s4game3runyyxlFSi_Tg5Tf4n_n: 'specialized run<A>(A)',
    $s4game6PlayerCMa: 'type metadata accessor for Player',
    $s4game5PointVWOh: 'outlined destroy of Point',
    $sypWOc: 'outlined init with copy of Any',
    $s4game5PointVwcp: 'initializeWithCopy for Point',
    $s4game6PlayerCAA4RoomAAWP: 'protocol witness table for Player',
  },
  'parts of asynchronous functions as the whole function': {
    $s4game4loadyyYaFTY0_: 'load()',
    $s4game4loadyyYaFTQ1_: 'load()',
    '$s4game3runyyF.resume.0': 'run()',
    $s4game4loadyyYaFTu: 'async function pointer to load()',
  },
  'operators and names outside of ASCII': {
    $s4game5PointV1poiyA2C_ACtFZ: 'static Point.+ infix(Point, Point)',
    $s4game5PointV2eeoiySbAC_ACtFZ: 'static Point.== infix(Point, Point)',
    $s4game5PointV1sopyA2CFZ: 'static Point.- prefix(Point)',
    $s4game008gr_hiaJiyyF: 'grüß()',
  },
};

const PIECES = [
  ...['4game', '6PlayerC', '3runyyF', '5PointV', '4Room', 'Si', 'SS', 'SaySiG', 'Sg', 'AA', 'AB', 'A2C', 'A', 'a', 'B'],
  ...['S', 'i', 'y', '_', 't', 'c', 'f', 'U', 'T', 'W', 'l', 'r', 'u', 'R', 'z', 'x', 'q_', 'Q', 'V', 'E', 'G', 'g'],
  ...[
    'v',
    'p',
    'L',
    'Z',
    'o',
    'd',
    'K',
    'Y',
    'X',
    'M',
    'O',
    'P',
    'I',
    'N',
    '0',
    '2',
    '00',
    'TA',
    'TR',
    'Tg5',
    'Tf4n_n',
  ],
  ...['Iegnr_', 'fU_', 'fC', 'vg', 'WOh', 'TW', 'Qz', 'RzlF', 'Xp', 'XE', 'n', 'h', 'm', 'b', 'e', 'k', 's', '.', 'é'],
];

describe('demangleSwift', () => {
  for (const [what, names] of Object.entries(NAMES)) {
    it(`reads ${what}`, () => {
      for (const [name, readable] of Object.entries(names)) assert.equal(demangleSwift(name), readable, name);
    });
  }

  it('leaves names alone that are cut off, of other languages, or have unknown parts', () => {
    const names = ['$s', '$s4', '$s4game', '$s4game3run', '$s4game3runy', 'main', '$sSay', '$sAAAA', '$s0a', '$s00'];
    const unknown = ['$s4game3runyyFTR', '$s4game3runyyF3', '$s999999game', '$s4game3runyyFTf4c_n', '$s4game3runyyFTz'];
    const others = [
      '_T04game3runyyF',
      '$s4game6PlayerC',
      '$s4gameconstructor',
      '$s4game__proto__',
      `$s${'A999a'.repeat(6000)}`,
    ];
    for (const name of [...names, ...unknown, ...others]) assert.equal(demangleSwift(name), undefined, name);
  });

  it('returns a text of a bounded length or nothing for any name', () => {
    const name = fc.array(fc.constantFrom(...PIECES), { maxLength: 60 });
    const check = (text: string | undefined) =>
      assert.ok(text === undefined || (text.length > 0 && Buffer.byteLength(text) < 4096));
    fc.assert(
      fc.property(name, (pieces) => check(demangleSwift(`$s4game6PlayerC${pieces.join('')}`))),
      { numRuns: 20_000 },
    );
    fc.assert(fc.property(fc.string(), (text) => check(demangleSwift(`$s${text}`))));
  });

  it('reads parts of valid names together without an unexpected error', () => {
    const all = Object.values(NAMES).flatMap((names) => Object.keys(names));
    const part = fc
      .tuple(fc.constantFrom(...all), fc.nat(60), fc.nat(60))
      .map(([name, from, length]) => name.replace(/^_?\$[sSe]/, '').slice(from % 20, (from % 20) + length));
    fc.assert(
      fc.property(fc.array(part, { maxLength: 4 }), (parts) => void demangleSwift(`$s${parts.join('')}`)),
      { numRuns: 10_000 },
    );
  });

  it('takes a bounded time for the longest names', () => {
    const parts = [
      '3run',
      'A9a',
      '0a',
      'AA3BoxV',
      'L_',
      'yyF',
      'y',
      '_',
      'Sg',
      'SaySaySay',
      'x_',
      'm',
      'Tg5',
      'AAyxG',
      'G',
    ];
    const long = [...parts, '00900_aaaaaaaaaa', 'SitSit', 'Si_', 'A999A', 'r9999_', 'yyc', 'd'].map((part) =>
      `$s4game3BoxV${part.repeat(33_000 / part.length)}`.slice(0, 32_768),
    );
    long.push(`$s001024${'a'.repeat(1023)}yyF`, `$s00${20_000}${'z'.repeat(20_000)}yyF`);
    const started = process.cpuUsage();
    for (const name of long) demangleSwift(name);
    assert.ok(process.cpuUsage(started).user < 3_000_000);
  });
});
