// What a game of each engine needs to report crashes. The lines that start its reporter are those of the documentation
// that the server serves.
import type { Engine } from '../games/first-build-steps.ts';

export type ReporterStep = {
  /** The page and the section of the documentation. */
  readonly guide: string;
  readonly text: string;
  /** The sections whose code is what to add to the game. */
  readonly code: readonly string[];
};

export const REPORTER_STEPS: Readonly<Record<Engine, ReporterStep>> = {
  unity: {
    guide: 'unity#send-crash-reports',
    text: "Save this script as Assets/ChauffeurCrashes.cs. It reads the IDs from the file, so you don't need to change anything in it.",
    code: ['unity#send-crash-reports'],
  },
  unreal: {
    guide: 'unreal#send-crash-reports',
    text: "The command sets the address to which the engine's crash reporter sends. To count crashes by device, also set the IDs of your events when the game starts:",
    code: ['unreal#send-crash-reports'],
  },
  godot: {
    guide: 'godot#send-crash-reports',
    text: 'The command writes the IDs into the project settings. If your engine has a crash reporter, add these lines to its section. The guide explains what stock Godot can send.',
    code: ['godot#send-crash-reports'],
  },
  c: {
    guide: 'cpp#send-crash-reports-with-crashpad',
    text: 'Start Crashpad with the constants of the header:',
    code: ['cpp#send-crash-reports-with-crashpad'],
  },
  electron: {
    guide: 'electron#send-crash-reports',
    text: 'Start the crash reporter in the main process, before any window opens:',
    code: ['electron#send-crash-reports'],
  },
  web: {
    guide: 'javascript#send-errors-as-crash-reports',
    text: 'Add examples/javascript/chauffeur-events.js to the game, and these lines, which count its devices and report its errors:',
    code: ['javascript#send-events', 'javascript#send-errors-as-crash-reports'],
  },
  other: {
    guide: 'crashes#send-reports-from-a-game-over-http',
    text: 'When the game crashes or at its next start, send a report over HTTP with the IDs from the file, as the command below does.',
    code: [],
  },
};
