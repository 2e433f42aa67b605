// A game in a browser that uses Sentry's SDK: each button does what the scenarios of the other clients do.
import * as Sentry from '@sentry/browser';

const { dsn, tunnel, release } = Object.fromEntries(new URLSearchParams(location.search));

Sentry.init({ dsn, release, environment: 'production', ...(tunnel && { tunnel }) });
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

const BUTTONS = {
  async events() {
    const associatedEventId = capture(7);
    Sentry.captureMessage('level loaded', 'info');
    // Players write after the error was sent.
    await Sentry.flush(5000);
    const image = await new Promise((resolve) => document.createElement('canvas').toBlob(resolve));
    const data = new Uint8Array(await image.arrayBuffer());
    const screenshot = { filename: 'screenshot.png', data, contentType: 'image/png' };
    Sentry.captureFeedback(
      { message: 'I turned left', name: 'Player', email: 'player@example.com', associatedEventId },
      { attachments: [screenshot] },
    );
    await Sentry.flush(5000);
    document.body.dataset.state = 'done';
  },
  crash() {
    loadLevel(8);
  },
  async rejection() {
    loadLevel(9);
  },
  async errors() {
    for (const number of [1, 2, 3]) {
      capture(number);
      await Sentry.flush(5000);
    }
    document.body.dataset.state = 'done';
  },
};

for (const [name, run] of Object.entries(BUTTONS)) {
  const button = Object.assign(document.createElement('button'), { textContent: name });
  button.addEventListener('click', run);
  document.body.append(button);
}
