// Games with Sentry's SDKs for Node.js, Python, Go, Java and Rust: what a studio sees of errors that the game handled, and
// of crashes.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { untilEqual } from '../../packages/server/test/setup/until.ts';
import { type Client, missingClient, openReportingGame, summaryOf } from '../setup/sentry-clients.ts';
import { serveSite } from '../setup/site.ts';
import { openStudio, type Studio } from '../setup/studio.ts';

type Expected = {
  readonly title: string;
  /** What was thrown, then its causes. */
  readonly thrown: readonly string[];
  /** The game's own functions on the stack of what was thrown, innermost first. */
  readonly own: readonly string[];
};

type Crash = Expected & { readonly scenario: string; readonly code: number };

type Game = {
  readonly error: Expected;
  readonly crashes: readonly Crash[];
  /** Whether the SDK has a function for feedback. */
  readonly hasFeedback?: boolean;
  /** Whether the SDK reports sessions; true by default. */
  readonly hasSessions?: boolean;
};

const javascript = (number: number, ...own: readonly string[]): Expected => ({
  title: 'TypeError: no such file | game.openFile',
  thrown: [`Error: cannot load level ${number}`, 'TypeError: no such file'],
  own,
});

const python = (number: number, ...own: readonly string[]): Expected => ({
  // The system's own words are not part of the signature.
  title: 'FileNotFoundError | game.open_file',
  thrown: [`LevelError: cannot load level ${number}`, 'FileNotFoundError: no such file'],
  own,
});

const java = (number: number, ...own: readonly string[]): Expected => ({
  title: 'IllegalStateException: no such file | com.example.owls.Game.openFile',
  thrown: [`Game$LevelException: cannot load level ${number}`, 'IllegalStateException: no such file'],
  own: own.map((name) => `com.example.owls.Game.${name}`),
});

const GAMES: Partial<Record<Client, Game>> = {
  javascript: {
    hasFeedback: true,
    error: javascript(7, 'game.loadLevel', 'game.capture', 'game.events'),
    crashes: [
      { scenario: 'crash', code: 1, ...javascript(8, 'game.loadLevel', 'game.startRace') },
      // The SDK only warns of it.
      { scenario: 'rejection', code: 0, ...javascript(9, 'game.loadLevel', 'game.startRace') },
    ],
  },
  python: {
    error: python(7, 'game.load_level', 'game.capture'),
    crashes: [
      { scenario: 'crash', code: 1, ...python(8, 'game.load_level', 'game.crash', 'game.module') },
      { scenario: 'thread', code: 0, ...python(9, 'game.load_level') },
    ],
  },
  go: {
    hasSessions: false,
    error: {
      title: '*errors.errorString: no such file | main.capture',
      thrown: ['*main.LevelError: cannot load level 7: no such file', '*errors.errorString: no such file'],
      own: ['main.capture', 'main.events', 'main.main'],
    },
    crashes: [
      {
        scenario: 'crash',
        code: 2,
        title: 'boundsError: runtime error: index out of range [<n>] with length <n> | main.startRace',
        thrown: ['runtime.boundsError: runtime error: index out of range [3] with length 1'],
        own: ['main.startRace', 'main.crash', 'main.main'],
      },
    ],
  },
  java: {
    hasFeedback: true,
    error: java(7, 'loadLevel', 'capture', 'events', 'main'),
    crashes: [
      { scenario: 'crash', code: 1, ...java(8, 'loadLevel', 'crash', 'main') },
      { scenario: 'thread', code: 0, ...java(9, 'loadLevel', 'lambda$crashInThread') },
    ],
  },
  rust: {
    error: {
      title: 'NotFound: no such file | game::capture',
      thrown: ['LevelError: cannot load level 7', 'NotFound: no such file'],
      own: ['game::capture', 'game::events', 'game::main'],
    },
    crashes: [
      {
        scenario: 'panic',
        code: 101,
        title: 'panic: index out of bounds: the len is <n> but the index is <n> | game::start_race',
        thrown: ['panic: index out of bounds: the len is 1 but the index is 3'],
        own: ['game::start_race', 'game::panic', 'game::main'],
      },
    ],
  },
};

describe("a program with one of Sentry's SDKs", () => {
  let studio: Studio;
  const site = serveSite(async ({ service }) => {
    studio = await openStudio(service);
  });
  const openGame = () => openReportingGame(site.service, studio.session);

  for (const [name, { error, crashes, hasFeedback = false, hasSessions = true }] of Object.entries(GAMES)) {
    const client = name as Client;
    const skip = missingClient(client);

    test(`in ${client} reports an error that it handled, with what led to it`, { skip }, async () => {
      const game = await openGame();
      const { code, output } = await game.play(client, 'events');
      assert.equal(code, 0, output);
      const [report, ...others] = await game.reports();
      // The message that it sends, too, is only counted.
      assert.deepEqual(others, []);
      const { own, ...summary } = summaryOf(report!);
      const { own: expectedOwn, ...expected } = error;
      assert.deepEqual(summary, {
        ...expected,
        kind: 'error',
        buildId: game.buildId,
        message: expected.thrown[0],
        breadcrumbs: ['ui: clicked play'],
        tag: 'mountains',
      });
      assert.deepEqual(own.slice(0, expectedOwn.length), expectedOwn);
      assert.deepEqual(await game.attachments(report!), { 'save.json': '{"car":1}' });
      // Python sends the values of variables.
      assert.ok(!JSON.stringify(report).includes('the value of a variable'));
      assert.deepEqual(await game.sessions(), hasSessions ? [1, 0] : [0, 0]);
      await untilEqual(() => game.messages(), { info: 1 });
      const tickets = (await game.tickets()).map(({ message, crash_id: id, filed_by: player }) => [
        message,
        id,
        player,
      ]);
      assert.deepEqual(tickets, hasFeedback ? [['I turned left', report!.crash_id, 'Player']] : []);
    });

    for (const { scenario, code, own: expectedOwn, ...expected } of crashes)
      test(`in ${client} has one report of a ${scenario}`, { skip }, async () => {
        const game = await openGame();
        const played = await game.play(client, scenario);
        assert.equal(played.code, code, played.output);
        const [report, ...others] = await game.reports();
        assert.deepEqual(others, []);
        const { own, ...summary } = summaryOf(report!);
        assert.deepEqual(summary, {
          ...expected,
          kind: 'crash',
          buildId: game.buildId,
          message: expected.thrown[0],
          breadcrumbs: [],
          tag: 'mountains',
        });
        assert.deepEqual(own.slice(0, expectedOwn.length), expectedOwn);
        assert.deepEqual(await game.attachments(report!), { 'save.json': '{"car":1}' });
        assert.deepEqual(await game.sessions(), hasSessions ? [1, 1] : [0, 0]);
      });

    test(`in ${client} reports a release that is not registered under its name`, { skip }, async () => {
      const game = await openGame();
      await game.play(client, 'events', { release: 'thegame@9.9.9' });
      const [report, ...others] = await game.reports();
      assert.deepEqual(others, []);
      assert.notEqual(report!.build_id, game.buildId);
      assert.equal(report!.app_version, 'thegame@9.9.9');
    });
  }
});
