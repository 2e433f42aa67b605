// All lists that the signature rules use, compiled once. A studio can add its own entries.
import { irrelevantPatterns } from './irrelevant.ts';
import { compilePatterns, compileTrims, type Pattern, type PatternList, type TrimPattern } from './pattern-list.ts';
import { prefixPatterns } from './prefix.ts';
import { abortReasons, faultReasons, loaderModules, runtimeModules } from './runtime-aborts.ts';
import { abortSentinels, handlingSentinels, sentinelPatterns } from './sentinel.ts';
import { systemModules } from './system-modules.ts';
import { trimPatterns } from './trim.ts';

export type SignatureLists = {
  readonly irrelevant: PatternList;
  readonly prefix: PatternList;
  readonly sentinel: PatternList;
  /** Frames at which the signature ends, whatever the other lists say. Only a studio has such entries. */
  readonly end: PatternList;
  readonly handlingSentinel: PatternList;
  readonly abortSentinel: PatternList;
  readonly trim: (label: string) => string;
  readonly abortReasons: PatternList;
  readonly faultReasons: PatternList;
  readonly runtimeModules: PatternList;
  readonly loaderModules: PatternList;
  readonly systemModules: PatternList;
};

/** A studio's own entries. They are checked before the built-in lists. */
type ExtraPatterns = {
  readonly irrelevant?: readonly Pattern[];
  readonly prefix?: readonly Pattern[];
  readonly sentinel?: readonly Pattern[];
  readonly end?: readonly Pattern[];
  readonly trim?: readonly TrimPattern[];
};

/** Compiles the lists. This is expensive: reuse the result for all signatures. */
export function compileSignatureLists(extra: ExtraPatterns = {}): SignatureLists {
  return {
    irrelevant: compilePatterns([...(extra.irrelevant ?? []), ...irrelevantPatterns]),
    prefix: compilePatterns([...(extra.prefix ?? []), ...prefixPatterns]),
    sentinel: compilePatterns([...(extra.sentinel ?? []), ...sentinelPatterns]),
    end: compilePatterns(extra.end ?? []),
    abortSentinel: compilePatterns(abortSentinels),
    handlingSentinel: compilePatterns(handlingSentinels),
    trim: compileTrims([...(extra.trim ?? []), ...trimPatterns]),
    abortReasons: compilePatterns(abortReasons),
    faultReasons: compilePatterns(faultReasons),
    runtimeModules: compilePatterns(runtimeModules),
    loaderModules: compilePatterns(loaderModules),
    systemModules: compilePatterns(systemModules),
  };
}

export const defaultLists: SignatureLists = compileSignatureLists();

type OwnLists = Partial<Pick<SignatureLists, 'irrelevant' | 'prefix' | 'sentinel' | 'end'>>;

/** The lists with entries of a studio, which are checked first. Cheap, because nothing is compiled again. */
export function extendLists(lists: SignatureLists, own: OwnLists): SignatureLists {
  const both = (name: keyof OwnLists): PatternList => ({
    find: (label) => own[name]?.find(label) ?? lists[name].find(label),
  });
  return {
    ...lists,
    irrelevant: both('irrelevant'),
    prefix: both('prefix'),
    sentinel: both('sentinel'),
    end: both('end'),
  };
}
