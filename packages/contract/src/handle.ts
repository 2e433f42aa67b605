// Decides whether a text can be a developer's handle, the name in the URL of their page.
import { LIMITS } from './limits.ts';

// cspell:ignore nobody
/** Names that could be mistaken for the service itself, or for no person at all. */
const RESERVED: ReadonlySet<string> = new Set(
  `about abuse account accounts admin administrator anonymous api billing blog chauffeur contact contact-us dev developer developers
  docs everyone god help helpdesk home info info-desk legal mail me mod moderator moderators news nobody none noreply no-reply null
  official operator operators owner postmaster press privacy root safety security service settings shop sign-in sign-up site staff
  status store support sys sysadmin system team terms test trust undefined unknown user users verified web webmaster website www you`.split(
    /\s+/,
  ),
);

type Rule = { readonly name: string; readonly isBroken: (handle: string) => boolean; readonly advice: string };

const RULES: readonly Rule[] = [
  {
    name: 'length',
    isBroken: ({ length }) => length < LIMITS.handleLength.min || length > LIMITS.handleLength.max,
    advice: `use ${LIMITS.handleLength.min} to ${LIMITS.handleLength.max} characters`,
  },
  {
    name: 'characters',
    isBroken: (handle) => !/^[a-z0-9-]*$/.test(handle),
    advice: 'use only lowercase letters a to z, digits and -',
  },
  {
    name: 'hyphens',
    isBroken: (handle) => /^-|--|-$/.test(handle),
    advice: 'use single hyphens, only between letters or digits',
  },
  {
    name: 'reserved',
    isBroken: (handle) => RESERVED.has(handle),
    advice: 'choose another handle; this one is reserved',
  },
];

/** What to change, as the end of a sentence; null if the handle is valid, whether or not it is taken. */
export function findHandleProblem(handle: string): string | null {
  return RULES.find(({ isBroken }) => isBroken(handle))?.advice ?? null;
}
