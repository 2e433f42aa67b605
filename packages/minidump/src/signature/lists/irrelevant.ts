// All irrelevant frames: they say nothing about the fault and are skipped. Add a new list here.
import { appleIrrelevant } from './irrelevant-apple.ts';
import { godotIrrelevant, otherEnginesIrrelevant, unityIrrelevant, unrealIrrelevant } from './irrelevant-engines.ts';
import { frameworkIrrelevant } from './irrelevant-frameworks.ts';
import { goIrrelevant, rustIrrelevant } from './irrelevant-languages.ts';
import { libcIrrelevant } from './irrelevant-libc.ts';
import { libstdcxxIrrelevant } from './irrelevant-libstdcxx.ts';
import { reporterIrrelevant, translationIrrelevant } from './irrelevant-platform.ts';
import { pthreadIrrelevant } from './irrelevant-pthread.ts';
import { windowsIrrelevant } from './irrelevant-windows.ts';
import type { Pattern } from './pattern-list.ts';

export const irrelevantPatterns: readonly Pattern[] = [
  ...reporterIrrelevant,
  ...libcIrrelevant,
  ...pthreadIrrelevant,
  ...libstdcxxIrrelevant,
  ...windowsIrrelevant,
  ...appleIrrelevant,
  ...rustIrrelevant,
  ...goIrrelevant,
  ...frameworkIrrelevant,
  ...unrealIrrelevant,
  ...unityIrrelevant,
  ...godotIrrelevant,
  ...otherEnginesIrrelevant,
  ...translationIrrelevant,
];
