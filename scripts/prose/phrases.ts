// Phrases and names that the project avoids, each with what to write instead. Single words are in `cspell.json`
// (`flagWords`).

export type Phrase = {
  readonly pattern: RegExp;
  /** What to write instead. */
  readonly replacement: string;
};

export type PhraseUse = {
  /** From 1. */
  readonly line: number;
  readonly text: string;
  readonly replacement: string;
};

/** Checked in this order. Patterns are global, because a line can contain several uses. */
export const PHRASES: readonly Phrase[] = [
  { pattern: /\bonce more\b/gi, replacement: 'again' },
  { pattern: /\bin place of\b/gi, replacement: 'instead of' },
  { pattern: /\bbe it\b/gi, replacement: 'even if, whether' },
  { pattern: /\bbe they\b/gi, replacement: 'even if, whether' },
  { pattern: /\b(?:to|for|from|says) who (?:has|asks|joined)\b/gi, replacement: 'anyone with, the caller' },
  { pattern: /\bwho(?:ever)? runs the (?:service|server)\b/gi, replacement: 'operators' },
  { pattern: /\bgo(?:es)? on by itself\b/gi, replacement: 'automatically' },
  { pattern: /\bfollows by itself\b/gi, replacement: 'updates automatically' },
  { pattern: /\bmade to (?:annoy|harm|hurt)\b/gi, replacement: 'malicious, malformed' },
  { pattern: /\bfor good\b(?! (?:reason|measure))/gi, replacement: 'permanently' },
  { pattern: /\bin force\b/gi, replacement: 'active' },
  { pattern: /\bfor want of\b/gi, replacement: 'missing, without' },
  { pattern: /\bwait(?:s|ing)? for (?:its|their) turns?\b/gi, replacement: 'queued' },
  { pattern: /\bthe ones? that\b/gi, replacement: 'name the thing' },
  { pattern: /\bthose that\b/gi, replacement: 'name the things' },
  { pattern: /\bthat which\b/gi, replacement: 'name the thing' },
  { pattern: /\bparted by\b/gi, replacement: 'separated by' },
  { pattern: /\bg(?:ives?|ave) back\b/gi, replacement: 'returns, releases' },
  { pattern: /\bin case that\b/gi, replacement: 'in case' },
  { pattern: /\bbelong(?:s|ed)? into\b/gi, replacement: 'belongs in' },
  // "There is no scanner" and "no longer" are fine; "a list that is no table" is not.
  {
    pattern:
      /(?<=\b(?!there\b)[\w`”"'’.),}]+ )(?:is|are|was|were) no (?!(?:longer|more|less|fewer|larger|smaller|later|earlier|better|worse|different|further|use|need|one)\b)\w+/gi,
    replacement: 'is not a, are not',
  },
  // "Addresses of its own network" is fine, and so is "none of its own"; "a process of its own" is not.
  {
    pattern:
      /(?<!\b(?:all|any|none|one|some) )\bof (?:its|their) own\b(?=\s*(?:[.,;:)!?"'`<]|$)| (?:and|as|at|because|before|below|but|by|counts?|for|from|if|in|into|nor|on|or|so|than|that|there|to|too|until|when|where|which|while|whose|with|without)\b)/gi,
    replacement: 'its own, a separate',
  },
  { pattern: /\b(?:MOST|LEAST)_\w+/g, replacement: 'MAX_*, MIN_*' },
  { pattern: /\b(?:most|least)[A-Z]\w*/g, replacement: 'max*, min*' },
  { pattern: /\bsay[A-Z]\w*/g, replacement: 'format*' },
  {
    pattern: /\bfunction \w*(?:size|bytes|date|time|age|duration|count|platform|number)Text\b/gi,
    replacement: 'format*',
  },
];

/** Finds every use of a phrase, by line. */
export function findPhrases(text: string): PhraseUse[] {
  return text
    .split('\n')
    .flatMap((content, index) =>
      PHRASES.flatMap(({ pattern, replacement }) =>
        [...content.matchAll(pattern)].map((match) => ({ line: index + 1, text: match[0], replacement })),
      ),
    );
}
