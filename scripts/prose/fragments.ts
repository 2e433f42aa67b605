// Finds comments that begin with a preposition and have no subject: "Of the head." for "The length of the head."
//
// A sentence may begin with a preposition, but then a comma separates the phrase from the subject: "In large folders,
// modules are found by name." A first sentence without such a comma is therefore a fragment, or the comma is missing. A
// comma whose next word continues the phrase is not such a comma: "Of the file, which may be compressed."
import type { PhraseUse } from './phrases.ts';

const PREPOSITIONS =
  'About|After|Against|Among|As|At|Before|Behind|Below|Beside|Between|By|During|For|From|In|Into|Like|Of|On|Over|Per|Since|Through|To|Under|Until|Upon|With|Within|Without';
const FRAGMENT = new RegExp(`^(?:${PREPOSITIONS})\\b`);
const SUBJECT =
  /, (?!(?:also|although|and|as|at|because|but|by|for|from|if|in|including|like|of|on|or|so|such|than|to|unless|when|where|which|while|who|whom|whose|with|without)\b)/;
/** The end of a clause that needs a subject. */
const END = /[.:;!?](?=\s|$)/;

/** The lines of a comment up to the next line without `//`, or a comment between `/*` and its end. */
const COMMENT = /\/\*\*?\s(?<block>.*?)\*\/|(?<=^|[\s,;{(])\/\/ (?<lines>[^\n]*(?:\n[ \t]*\/\/ [^\n]*)*)/gs;
const SQL_COMMENT = /(?<=^|\s)-- (?<lines>[^\n]*(?:\n[ \t]*-- [^\n]*)*)/g;

/** Finds fragments in a text of TypeScript, CSS or, with `isSql`, SQL. */
export function findFragments(text: string, isSql = false): PhraseUse[] {
  return [...text.matchAll(isSql ? SQL_COMMENT : COMMENT)].flatMap(({ index, groups }) => {
    const comment = (groups?.block ?? groups?.lines ?? '').replace(/(?:^|\n)[ \t]*(?:\*|\/\/|--)?[ \t]?/g, ' ').trim();
    const [clause = ''] = comment.split(END);
    if (!FRAGMENT.test(clause) || SUBJECT.test(clause)) return [];
    const line = text.slice(0, index).split('\n').length;
    return [{ line, text: clause, replacement: 'a sentence with a subject, or a comma in front of the subject' }];
  });
}
