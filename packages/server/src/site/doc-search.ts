// Finds sections of the documentation. The text is small enough to look through all of it for each search. The
// documentation has its own words for some things, so words of other tools are looked up as synonyms.
//
// MiniSearch was compared on 27 November 2026, with 866 sections and 15 queries, weights for headings and titles, and
// the same weight of reference pages. A search took 1.0 ms instead of 3.6 ms. But its index took 200 ms to build and
// 5.6 MB, where this needs no index; the first result was worse for six queries, such as a method of the API for
// `rollback`; and it has no synonyms of several words (`k8s` found nothing), nor a limit of results per page, so most
// of this file would remain.
import { type DocSection, findDoc } from '@chauffeur/contract/docs';

const SECOND_FACTOR = [['two-step'], ['second', 'factor']];
const SINGLE_SIGN_ON = [['single', 'sign-on']];
const SIGN_IN = [['sign', 'in']];
const SIGN_UP = [['sign', 'up']];
const RESUME = [['resume']];
const UPDATE = [['update']];

const GROUPS: Readonly<Record<string, readonly (readonly string[])[]>> = {
  '2fa': SECOND_FACTOR,
  antivirus: [['virus']],
  attestation: [['provenance']],
  backup: [['back', 'up']],
  ban: [['disable']],
  changelog: [['what', 'changed']],
  chunk: RESUME,
  chunked: RESUME,
  chunks: RESUME,
  color: [['colour']],
  docker: [['container']],
  gdpr: [['privacy']],
  k8s: [['kubernetes']],
  login: SIGN_IN,
  logout: [['sign', 'out']],
  malware: [['virus']],
  mfa: SECOND_FACTOR,
  migration: UPDATE,
  organization: [['organisation']],
  organizations: [['organisations']],
  register: SIGN_UP,
  replication: [['standby']],
  resumable: RESUME,
  rollback: [['roll', 'back']],
  rss: [['feed']],
  saml: SINGLE_SIGN_ON,
  scaling: [['processes'], ['capacity']],
  signin: SIGN_IN,
  signup: SIGN_UP,
  slsa: [['provenance']],
  sso: SINGLE_SIGN_ON,
  stacktrace: [['stack']],
  team: [['members']],
  throttle: [['limit']],
  throttling: [['limit']],
  totp: SECOND_FACTOR,
  translate: [['languages']],
  translation: [['languages']],
  upgrade: UPDATE,
  upgrades: UPDATE,
  upgrading: UPDATE,
};

/** By the word, lower case and without accents: any of these groups of words is searched for as well. */
const SYNONYMS: ReadonlyMap<string, readonly (readonly string[])[]> = new Map(Object.entries(GROUPS));

/** `words`, to be marked, are those of the query and of their synonyms. */
export type DocMatch = DocSection & { readonly title: string; readonly words: readonly string[] };
export type DocSearch = (query: string) => readonly DocMatch[];

const MAX_WORDS = 8;
const MAX_MATCHES = 20;
/** One page should not fill the list. */
const MAX_PER_PAGE = 4;
/** Pages that list everything come after pages that explain it. */
const REFERENCE: ReadonlySet<string> = new Set(['api', 'errors', 'mcp-tools', 'metrics', 'changelog']);
const REFERENCE_WEIGHT = 0.4;

/** What a word is worth that an area of a section has as a whole, or that only starts a word there. */
const WEIGHTS = {
  heading: { whole: 20, start: 12, none: 0 },
  title: { whole: 10, start: 6, none: 0 },
  text: { whole: 2, start: 1, none: 0 },
} as const;
const WHOLE_HEADING = 10;
type Area = keyof typeof WEIGHTS;

type Indexed = { readonly section: DocSection; readonly title: string; readonly areas: Record<Area, string> };

/**
 * Every word of a query, or what the documentation says instead, must be the start of a word in the section, its
 * heading or the title of its page.
 */
export function createDocSearch(sections: readonly DocSection[]): DocSearch {
  const indexed = sections.map((section): Indexed => {
    const { title = '', description = '' } = findDoc(section.page) ?? {};
    if (section.heading !== '') {
      const areas = { heading: fold(section.heading), title: fold(title), text: fold(section.text) };
      return { section, title, areas };
    }
    // The first section of a page has no heading. People also look for the name in the address.
    const heading = `${title} ${section.page}`;
    const text = `${description} ${section.text}`.trim();
    const areas = { heading: fold(heading), title: fold(`${title} ${description}`), text: fold(text) };
    return { section: { ...section, text }, title, areas };
  });
  return (query) => {
    const queried = wordsOf(query);
    if (queried.length === 0) return [];
    const wanted = queried.map((word) => [[word], ...synonymsOf(word)]);
    const phrases = queried.length === 1 ? wanted[0]! : [queried];
    const words = [...new Set([...queried, ...queried.flatMap((word) => synonymsOf(word).flat()).filter(isMarked)])];
    const matches = indexed
      .map((each) => ({ ...each, score: scoreOf(each, wanted) + scoreOfPhrases(each, phrases) }))
      .filter(({ score }) => score > 0)
      .sort((a, b) => b.score - a.score);
    const counts = new Map<string, number>();
    const isShown = ({ section: { page } }: Indexed) => {
      const count = (counts.get(page) ?? 0) + 1;
      counts.set(page, count);
      return count <= MAX_PER_PAGE;
    };
    return matches
      .filter(isShown)
      .slice(0, MAX_MATCHES)
      .map(({ section, title }) => ({ ...section, title, words }));
  };
}

/** Words are compared without case and accents. Signs around them, such as quotes, don't count. */
function wordsOf(query: string): string[] {
  const words = fold(query)
    .split(/\s+/)
    .map((word) => word.replaceAll(/^[^\p{L}\p{N}]+|[^\p{L}\p{N}]+$/gu, ''));
  return [...new Set(words.filter((word) => word !== ''))].slice(0, MAX_WORDS);
}

export function fold(text: string): string {
  return text
    .normalize('NFD')
    .replaceAll(/\p{Mn}/gu, '')
    .toLowerCase();
}

function synonymsOf(word: string): Alternatives {
  return SYNONYMS.get(word) ?? [];
}

/** "In" and "up" would be marked everywhere. */
function isMarked(word: string): boolean {
  return word.length > 3;
}

/** What is searched for instead of a word of the query: any of these groups of words. */
type Alternatives = readonly (readonly string[])[];

/** The score of a heading that has nothing else. */
function scoreOfPhrases({ areas }: Indexed, phrases: Alternatives): number {
  return phrases.some((words) => words.join(' ') === areas.heading) ? WHOLE_HEADING : 0;
}

/** 0 if a word and its alternatives are missing. */
function scoreOf({ section, areas }: Indexed, wanted: readonly Alternatives[]): number {
  const scores = wanted.map((alternatives) => Math.max(...alternatives.map((words) => scoreOfAll(areas, words))));
  if (scores.includes(0)) return 0;
  const sum = scores.reduce((total, score) => total + score, 0);
  return sum * (REFERENCE.has(section.page) ? REFERENCE_WEIGHT : 1);
}

/** The lowest score of these words: 0 if one is missing. */
function scoreOfAll(areas: Indexed['areas'], words: readonly string[]): number {
  return Math.min(...words.map((word) => scoreOfWord(areas, word)));
}

function scoreOfWord(areas: Indexed['areas'], word: string): number {
  let score = 0;
  for (const area of Object.keys(WEIGHTS) as Area[]) score += WEIGHTS[area][findWord(areas[area], word)];
  return score;
}

function findWord(text: string, word: string): 'whole' | 'start' | 'none' {
  let result: 'start' | 'none' = 'none';
  for (let at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + 1)) {
    if (isWordCharacter(text[at - 1])) continue;
    if (!isWordCharacter(text[at + word.length])) return 'whole';
    result = 'start';
  }
  return result;
}

export function isWordCharacter(character: string | undefined): boolean {
  return character !== undefined && /[\p{L}\p{N}]/u.test(character);
}
