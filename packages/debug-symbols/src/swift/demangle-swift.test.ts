// Tests names of Swift that are written as its document about mangling says.
// cspell:disable
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { demangleSwift } from './demangle-swift.ts';

const NAMES: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'functions with their labels': {
    $s4game3runyyF: 'game.run()',
    $s4game3addyS2i_SitF: 'game.add(_:_:)',
    $s4game4move1x1yySi_SitF: 'game.move(x:y:)',
    $s4game4move_2byySi_SitF: 'game.move(_:by:)',
    $s4game4loadyyYaKF: 'game.load()',
    $s4game4eachyyySi_SitXEF: 'game.each(_:)',
    _$s4game3runyyF: 'game.run()',
    $S4game3runyyF: 'game.run()',
  },
  'methods, also of generic types, extensions and local types': {
    $s4game6PlayerC6update5deltaySd_tF: 'game.Player.update(delta:)',
    $s4game6PlayerC4makeACyFZ: 'static game.Player.make()',
    $s4game3BoxV3put4itemyx_tF: 'game.Box.put(item:)',
    $s4game3BoxVyxGAA4RoomA2aEP4openyyFTW: 'protocol witness for game.Room.open() in conformance game.Box',
    $sSS4gameE5shoutSSyF: 'Swift.String.shout()',
    $sSa4gameE4lastxyF: 'Swift.Array.last()',
    $s4game3runyyF4StepL_V4takeyyF: 'take() in Step #1 in game.run()',
    $s4game13PlayerManagerC03getB0AA0B0CyF: 'game.PlayerManager.getPlayer()',
    $s4game3runyyF6helperL0_5timesySi_tF: 'helper #2 (times:) in game.run()',
  },
  'what is private to a file': {
    $s4game6PlayerC6secret33_0123456789ABCDEF0123456789ABCDEFLLyyF: 'game.Player.secret()',
  },
  'initialisers and the end of an object': {
    $s4game6PlayerC4nameACSS_tcfC: 'game.Player.__allocating_init(name:)',
    $s4game6PlayerC4nameACSS_tcfc: 'game.Player.init(name:)',
    $s4game5PointV1xACSi_tcfC: 'game.Point.init(x:)',
    $s4game6PlayerCACycfC: 'game.Player.__allocating_init()',
    $s4game6PlayerCfd: 'game.Player.deinit',
    $s4game6PlayerCfD: 'game.Player.__deallocating_deinit',
  },
  'accessors of variables and subscripts': {
    $s4game6PlayerC5scoreSivg: 'game.Player.score.getter',
    $s4game6PlayerC5scoreSivs: 'game.Player.score.setter',
    $s4game6PlayerC5scoreSivM: 'game.Player.score.modify',
    $s4game6PlayerC5scoreSivW: 'game.Player.score.didset',
    $s4game6PlayerC4pathSi_SitvG: 'game.Player.path.getter',
    $s4game6PlayerC6onDoneyycvg: 'game.Player.onDone.getter',
    $s4game6PlayerC5scoreSivpfi: 'variable initialization expression of game.Player.score',
    $s4game5BoardVyS2i_Sitcig: 'game.Board.subscript(_:_:).getter',
    $s4game5scoreSivau: 'game.score.unsafeMutableAddressor',
  },
  'closures, thunks and what the optimiser made': {
    $s4game3runyyFyycfU_: 'closure #1 in game.run()',
    $s4game3runyyFyycfU0_yycfU_: 'closure #1 in closure #2 in game.run()',
    $s4game3runyyFyycfu_: 'implicit closure #1 in game.run()',
    $s4game3run5timesySi_tFfA_: 'default argument 0 of game.run(times:)',
    $s4game6PlayerC4drawyyFTo: '@objc game.Player.draw()',
    $s4game6PlayerC4drawyyFTj: 'dispatch thunk of game.Player.draw()',
    $s4game3runyyFyycfU_TA: 'partial apply forwarder for closure #1 in game.run()',
    $s4game3runyyFTm: 'merged game.run()',
    $s4game3runyyxlFSi_Tg5: 'generic specialization of game.run(_:)',
    $s4game3runyySiFTf4d_n: 'function signature specialization of game.run(_:)',
    $s4game4loadyyYaFTY0_: '(1) suspend resume partial function for game.load()',
    $s4game4loadyyYaFTQ1_: '(2) await resume partial function for game.load()',
    '$s4game3runyyF.resume.0': 'game.run() (.resume.0)',
    $s4game6PlayerCMa: 'type metadata accessor for game.Player',
    $s4game5PointVWOh: 'outlined destroy of game.Point',
    $s4game5PointVwcp: 'initializeWithCopy value witness for game.Point',
  },
  'generics, which are left out': {
    $s4game4swapyyxz_q_ztr0_lF: 'game.swap(_:_:)',
    $s4game3run1ayx_tAA4RoomRzlF: 'game.run(a:)',
    $s4game3runyyx_7ElementQztSTRzlF: 'game.run(_:_:)',
    $s4game3runyySaySiGF: 'game.run(_:)',
    $s4game3runyySDySSSaySiGGSgF: 'game.run(_:)',
    $s4game3runyyAA4Room_pF: 'game.run(_:)',
    $s4game3runyyypXpF: 'game.run(_:)',
    $s4game3runyyyXlF: 'game.run(_:)',
  },
  operators: {
    $s4game5PointV1poiyA2C_ACtFZ: 'static game.Point.+ infix(_:_:)',
    $s4game5PointV2eeoiySbAC_ACtFZ: 'static game.Point.== infix(_:_:)',
    $s4game5PointV1sopyA2CFZ: 'static game.Point.- prefix(_:)',
  },
};

describe('demangleSwift', () => {
  for (const [what, names] of Object.entries(NAMES)) {
    it(`reads ${what}`, () => {
      for (const [name, readable] of Object.entries(names)) assert.equal(demangleSwift(name), readable, name);
    });
  }

  it('leaves names alone that are cut off, of other languages, or have unknown parts', () => {
    const names = ['$s', '$s4', '$s4game', '$s4game3run', '$s4game3runy', 'main', '$sSay', '$sAAAA', '$s0a', '$s00'];
    const unknown = [
      '$s4game3runyyFTf4nnpi5_n',
      '$s4game3runyyFTR',
      '$s4game5PointVMn',
      '$s4game3runyyF3',
      '$s999999game',
    ];
    for (const name of [...names, ...unknown, '_T04game3runyyF', '$s4game6PlayerC', `$s${'A999a'.repeat(6000)}`])
      assert.equal(demangleSwift(name), undefined, name);
  });

  it('returns a text or nothing, soon, for any name', () => {
    const piece = fc.constantFrom(
      ...[
        '4game',
        '6PlayerC',
        '3runyyF',
        'A',
        'a',
        'B',
        'S',
        'i',
        'y',
        '_',
        't',
        'c',
        'f',
        'U',
        'T',
        'W',
        'l',
        'r',
        'u',
      ],
      ...['R', 'z', 'x', 'q', 'Q', 'V', 'E', 'G', 'g', 'v', 'p', 'L', 'Z', 'o', 'd', 'K', 'Y', 'X', 'M', 'O', '0', '2'],
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 60 }), (pieces) => {
        const text = demangleSwift(`$s${pieces.join('')}`);
        assert.ok(text === undefined || (text.length > 0 && text.length < 65_536 + 200));
      }),
      { numRuns: 20_000 },
    );
    const long = ['3run', 'A9a', '0a', 'AA3BoxV', 'L_', 'yyF'].map((part) =>
      `$s4game3BoxV${part.repeat(9000)}`.slice(0, 32_768),
    );
    const started = performance.now();
    for (const name of long) demangleSwift(name);
    assert.ok(performance.now() - started < 2000);
  });
});
