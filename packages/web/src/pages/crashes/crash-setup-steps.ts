// What a game of each engine needs to report crashes: where its build id is written, and the lines that start its
// reporter. A test checks that the lines are those of the documentation.
import type { Engine } from '../games/first-build-steps.ts';

export type ReporterStep = {
  /** The page and the section of the documentation. */
  readonly guide: string;
  readonly text: string;
  /** Undefined if the reporter needs no lines, or more than fit on a page. */
  readonly code?: string;
};

const CRASHPAD = `#include "chauffeur_build.h"

client.StartHandler(handler, database, database,
    CHAUFFEUR_CRASHES_URL "?app_id=" CHAUFFEUR_APP_ID "&build_id=" CHAUFFEUR_BUILD_ID,
    annotations, {}, true, true);`;

const ELECTRON = `const { crashReporter } = require('electron');
const build = require('./chauffeur.json');

crashReporter.start({
  submitURL: \`\${build.crashes_url}?app_id=\${build.app_id}&build_id=\${build.build_id}\`,
  uploadToServer: true,
});`;

const WEB = `const build = await (await fetch('chauffeur.json')).json();`;

export const REPORTER_STEPS: Readonly<Record<Engine, ReporterStep>> = {
  unity: {
    guide: 'unity#send-crash-reports',
    text: 'Save the script of the guide as Assets/ChauffeurCrashes.cs. It reads the ids from the file, so nothing in it needs to be changed.',
  },
  unreal: {
    guide: 'unreal#send-crash-reports',
    text: 'Nothing needs to be added: the command sets the address to which the crash reporter of the engine sends.',
  },
  godot: {
    guide: 'godot#send-crash-reports',
    text: 'The command writes the ids into the project settings. In an engine with a crash reporter, set “enabled” there; the guide says what stock Godot can send.',
  },
  c: {
    guide: 'cpp#send-crash-reports-with-crashpad',
    text: 'Start Crashpad with the constants of the header:',
    code: CRASHPAD,
  },
  electron: {
    guide: 'electron#send-crash-reports',
    text: 'Start the crash reporter in the main process, before any window opens:',
    code: ELECTRON,
  },
  web: {
    guide: 'javascript#send-errors-as-crash-reports',
    text: 'Read the file when the game starts, and add the functions of the guide, which report errors:',
    code: WEB,
  },
  other: {
    guide: 'crashes#send-reports-from-a-game-over-http',
    text: 'When the game crashes or at its next start, send a report over HTTP with the ids of the file, as the command below does.',
  },
};
