// A game for Node.js that uses Sentry's SDK: `node game.js SCENARIO`.
import * as Sentry from '@sentry/node';

Sentry.init({ dsn: process.env.SENTRY_DSN, release: process.env.SENTRY_RELEASE, environment: 'production' });
Sentry.setTag('level_name', 'mountains');
Sentry.setUser({ id: 'player-7' });
Sentry.getCurrentScope().addAttachment({ filename: 'save.json', data: '{"car":1}', contentType: 'application/json' });

function openFile() {
  throw new TypeError('no such file');
}

function loadLevel(number) {
  try {
    openFile();
  } catch (cause) {
    throw new Error(`cannot load level ${number}`, { cause });
  }
}

function capture(number) {
  try {
    loadLevel(number);
  } catch (error) {
    return Sentry.captureException(error);
  }
}

const SCENARIOS = {
  async events() {
    Sentry.addBreadcrumb({ category: 'ui', message: 'clicked play', data: { button: 'play' } });
    const associatedEventId = capture(7);
    Sentry.captureMessage('level loaded', 'info');
    // Players write after the error was sent.
    await Sentry.flush(5000);
    Sentry.captureFeedback({
      message: 'I turned left',
      name: 'Player',
      email: 'player@example.com',
      associatedEventId,
    });
  },
  crash() {
    setTimeout(function startRace() {
      loadLevel(8);
    });
  },
  rejection() {
    setTimeout(async function startRace() {
      loadLevel(9);
    });
  },
  /** Waits between them, so that the second one knows the answer to the first. */
  async errors() {
    for (const number of [1, 2, 3]) {
      capture(number);
      await Sentry.flush(5000);
    }
  },
};

await SCENARIOS[process.argv[2]]();
