// The rules that developers add to the grouping of their game: what frames of their own code mean.
import type { GroupingRule } from '@chauffeur/contract/operations/grouping-rules';
import type { PatternList } from '@chauffeur/minidump/signature/lists/pattern-list';
import { defaultLists, extendLists, type SignatureLists } from '@chauffeur/minidump/signature/lists/signature-lists';

/** The built-in lists with the rules of a game. */
export function listsOf(rules: readonly GroupingRule[]): SignatureLists {
  if (rules.length === 0) return defaultLists;
  const listOf = (effect: GroupingRule['effect']) => patternList(rules.filter((rule) => rule.effect === effect));
  return extendLists(defaultLists, {
    irrelevant: listOf('irrelevant'),
    prefix: listOf('prefix'),
    sentinel: listOf('top'),
    end: listOf('end'),
  });
}

function patternList(rules: readonly GroupingRule[]): PatternList {
  const patterns = rules.map(({ frames }) => ({ frames, match: /(?:)/, why: `rule of this game: ${frames}` }));
  return { find: (label) => patterns.find(({ frames }) => matchesPattern(frames, label)) };
}

/**
 * Whether the pattern matches the whole label; `*` matches any characters. It takes at most the product of the
 * lengths, whatever the pattern: an expression could take exponentially long.
 */
export function matchesPattern(pattern: string, label: string): boolean {
  let [at, labelAt] = [0, 0];
  /** Where to continue if the text after the last star does not match: the star, and the next place to try. */
  let star = -1;
  let retryAt = 0;
  while (labelAt < label.length) {
    if (pattern[at] === '*') {
      star = at;
      retryAt = labelAt;
      at += 1;
    } else if (pattern[at] === label[labelAt]) {
      at += 1;
      labelAt += 1;
    } else if (star >= 0) {
      at = star + 1;
      retryAt += 1;
      labelAt = retryAt;
    } else return false;
  }
  while (pattern[at] === '*') at += 1;
  return at === pattern.length;
}

export type GameRules = {
  readonly rules: readonly GroupingRule[];
  /** 0 if the game never had any. */
  readonly version: number;
};
