// All prefix frames: they belong to the signature but do not end it, so the next frame is added too.
import type { Pattern } from './pattern-list.ts';
import { enginePrefixes } from './prefix-engines.ts';
import { modulePrefixes } from './prefix-modules.ts';
import { runtimePrefixes } from './prefix-runtimes.ts';

export const prefixPatterns: readonly Pattern[] = [...runtimePrefixes, ...modulePrefixes, ...enginePrefixes];
