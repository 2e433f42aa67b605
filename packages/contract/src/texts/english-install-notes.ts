// The default install notes in English, for the editor of a listing. It loads this file alone, because pages for
// developers don't have these texts.
import type { OSES_WITH_NOTES } from './download-texts.ts';
import en from './en.json' with { type: 'json' };

export const ENGLISH_INSTALL_NOTES: Readonly<Record<(typeof OSES_WITH_NOTES)[number], string>> = {
  windows: en['install.windows'],
  macos: en['install.macos'],
  linux: en['install.linux'],
  android: en['install.android'],
};
