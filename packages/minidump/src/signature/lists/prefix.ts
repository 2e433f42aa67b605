// The frames that belong into the signature and do not end it: the next frame is named too.
import type { Pattern } from './pattern-list.ts';
import { enginePrefixes } from './prefix-engines.ts';
import { modulePrefixes } from './prefix-modules.ts';
import { runtimePrefixes } from './prefix-runtimes.ts';

export const prefixPatterns: readonly Pattern[] = [...runtimePrefixes, ...modulePrefixes, ...enginePrefixes];
