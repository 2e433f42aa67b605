// Decides whether a text may be a developer’s handle, the name in the address of their page.
import { LIMITS } from './limits.ts';

/** Names in which somebody could speak for the service itself, or for nobody. */
const RESERVED: ReadonlySet<string> = new Set(
  `about abuse account accounts admin administrator anonymous api billing blog chauffeur contact contact-us dev developer developers
  docs everyone god help helpdesk home info info-desk legal mail me mod moderator moderators news nobody none noreply no-reply null
  official operator operators owner postmaster press privacy root safety security service settings shop sign-in sign-up site staff
  status store support sys sysadmin system team terms test trust undefined unknown user users verified web webmaster website www you`.split(
    /\s+/,
  ),
);

type Rule = { readonly name: string; readonly isBroken: (handle: string) => boolean; readonly says: string };

const RULES: readonly Rule[] = [
  {
    name: 'length',
    isBroken: ({ length }) => length < LIMITS.handleLength.least || length > LIMITS.handleLength.most,
    says: `use ${LIMITS.handleLength.least} to ${LIMITS.handleLength.most} characters`,
  },
  {
    name: 'characters',
    isBroken: (handle) => !/^[a-z0-9-]*$/.test(handle),
    says: 'use lowercase letters a to z, digits and - only',
  },
  {
    name: 'hyphens',
    isBroken: (handle) => /^-|--|-$/.test(handle),
    says: 'put each - between letters or digits',
  },
  {
    name: 'reserved',
    isBroken: (handle) => RESERVED.has(handle),
    says: 'choose another; this one would seem to speak for the service',
  },
];

/** What to do about it, as the end of a sentence; null when the handle may be had, if nobody has it. */
export function handleProblem(handle: string): string | null {
  return RULES.find(({ isBroken }) => isBroken(handle))?.says ?? null;
}
