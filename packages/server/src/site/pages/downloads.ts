// The downloads of a game: the one for the visitor's machine with its details, and the others folded away.

import { formatOs } from '@chauffeur/contract/format';
import { type Choice, chooseDownload, type Machine, readMachine } from '@chauffeur/contract/machine';
import type { OutputOf } from '@chauffeur/contract/operation';
import type { getPublicGame } from '@chauffeur/contract/operations/store';
import { defaultInstallNotes, formatFriendlyPlatform, formatScan } from '@chauffeur/contract/texts/download-texts';
import type { Texts } from '../texts.ts';
import { asHtml, type Html, html } from './html.ts';
import { pathWith, writeBytes, writeDay } from './parts.ts';
import type { Visit } from './visit.ts';

export type Offer = OutputOf<typeof getPublicGame>['downloads'][number];

type Downloads = {
  readonly slug: string;
  readonly offers: readonly Offer[];
  /** The install notes that the developers wrote. */
  readonly notes: OutputOf<typeof getPublicGame>['install_notes'];
  readonly machine: Machine;
  /** Undefined for the channel that is shown by default. */
  readonly channel: string | undefined;
  readonly now: Date;
  readonly texts: Texts;
};

/** What the script of the page found out about the machine, else what the user agent says. */
export function machineOf({ query: { os, arch }, userAgent }: Visit): Machine {
  return os === undefined ? readMachine({ userAgent, touchPoints: 0 }) : { os, arch: arch ?? null };
}

/** The build whose changes are shown: the one for this machine, else the web build, else the newest. */
export function chooseMain(offers: readonly Offer[], machine: Machine): Offer | undefined {
  const newest = offers.toSorted((a, b) => (a.file.uploaded_at < b.file.uploaded_at ? 1 : -1))[0];
  return chooseDownload(offers, machine).best ?? offers.find(({ os }) => os === 'web') ?? newest;
}

/** The script of the page replaces `#download` if it knows the machine better. */
export function writeDownloads({ slug, offers, notes, machine, channel, now, texts }: Downloads): Html {
  const shown = { slug, notes, now, texts };
  const choice = chooseDownload(offers, machine);
  const web = offers.find(({ os }) => os === 'web');
  const platforms = offers.map(({ os, arch }) => `${os}/${arch}`).join(' ');
  const best = choice.best === null ? '' : `${choice.best.os}/${choice.best.arch}`;
  return html`<div id="download" class="download" data-platforms="${platforms}" data-best="${best}">
${web !== undefined && writePlay(web, { ...shown, channel, isMain: choice.best === null })}
${offers.length === 0 && html`<p>${texts.t('downloads.none')}</p>`}
${choice.best !== null && writeBest(choice.best, shown)}
${choice.best === null && web === undefined && offers.length > 0 && html`<p>${formatNoMatch(machine, choice.others, texts)}</p>`}
${choice.others.length > 0 && writeOthers(choice, { ...shown, isPlayable: web !== undefined })}
</div>`;
}

function formatNoMatch(machine: Machine, others: readonly Offer[], texts: Texts): string {
  if (machine.os === null) return texts.t('downloads.choose');
  return texts.t('downloads.noMatch', { machine: formatMachine(machine, others, texts) });
}

/** The processor is named only if there is a download for the same OS with another processor. */
function formatMachine({ os, arch }: Machine, others: readonly Offer[], texts: Texts): string {
  const hasOtherArch = arch !== null && others.some((offer) => offer.os === os);
  return hasOtherArch ? formatFriendlyPlatform(texts, { os: os ?? '', arch }) : formatOs(os ?? '');
}

type Shown = Pick<Downloads, 'slug' | 'notes' | 'now' | 'texts'>;
type Play = Shown & { readonly channel: string | undefined; readonly isMain: boolean };

/** `isMain` if this machine can't run any of the downloads. */
function writePlay(offer: Offer, { channel, isMain, ...shown }: Play): Html {
  const { slug, texts } = shown;
  const size = isMain ? 'large filled' : 'medium';
  return html`<a class="button wide ${size}" href="${pathWith(`/g/${slug}/play`, { channel })}">${texts.t('downloads.play')}</a>
${isMain && html`<p class="facts-line">${texts.t('downloads.version', { version: offer.version })} · ${writeBytes(offer.file.size, texts)}</p>${writeScanLine(offer, shown)}`}`;
}

function writeBest(offer: Offer, shown: Shown): Html {
  const { texts } = shown;
  return html`<a class="button wide large filled" href="${offer.download_url}">${texts.t('downloads.best', { os: formatOs(offer.os) })}</a>
<p class="facts-line">${texts.t('downloads.version', { version: offer.version })} · ${formatFriendlyPlatform(texts, offer)} · ${writeBytes(offer.file.size, texts)}</p>
${offer.expires_at !== null && html`<p class="facts-line">${texts.html('downloads.until', { day: writeDay(offer.expires_at, texts) })}</p>`}
${writeScanLine(offer, shown)}
${writeInstallNotes(offer, shown)}`;
}

/** Folded away, because most players know it, or don't need it. */
function writeInstallNotes({ os }: Offer, { notes, texts }: Shown): Html | null {
  const text = notes.find((each) => each.os === os)?.text ?? defaultInstallNotes(texts, os);
  if (text === '') return null;
  return html`<details class="install"><summary>${texts.t('install')}</summary><p class="prose small-text">${text}</p></details>`;
}

type Others = Shown & { readonly isPlayable: boolean };

function writeOthers({ best, others, isSure }: Choice<Offer>, { isPlayable, ...shown }: Others): Html {
  const { texts } = shown;
  const isOpen = !isSure && !(best === null && isPlayable);
  const items = others.map(
    (offer) => html`<li><a href="${offer.download_url}">${formatFriendlyPlatform(texts, offer)}</a>
<p class="facts-line dimmed">${texts.t('downloads.version', { version: offer.version })} · ${writeBytes(offer.file.size, texts)}</p>
${writeScanLine(offer, shown)}</li>`,
  );
  return html`<details class="others"${isOpen && html` open`}><summary>${texts.t(best === null ? 'downloads.all' : 'downloads.others')}</summary><ul>${items}</ul></details>`;
}

/** The scan result and origin of a download, which links to the file's record. */
function writeScanLine(offer: Offer, { slug, now, texts }: Shown): Html {
  const isClean = offer.file.status === 'clean';
  return html`<a class="scan" data-clean="${String(isClean)}" href="/g/${slug}/files/${offer.file.file_uid}">${isClean ? CHECKED_SHIELD : EMPTY_SHIELD}<span>${formatScan(texts, offer, now)}</span></a>`;
}

const SHIELD = 'M8 1.5 13.5 3.5v4c0 3.4-2.3 5.8-5.5 7-3.2-1.2-5.5-3.6-5.5-7v-4z';
const CHECKED_SHIELD = asHtml(
  `<svg width="14" height="14" viewBox="0 0 16 16" aria-hidden="true"><path d="${SHIELD}" fill="currentColor"/><path class="scan-check" d="m5.2 8 2 2 3.6-4" fill="none" stroke-width="1.6"/></svg>`,
);
const EMPTY_SHIELD = asHtml(
  `<svg width="14" height="14" viewBox="0 0 16 16" aria-hidden="true"><path d="${SHIELD}" fill="none" stroke="currentColor" stroke-width="1.5"/></svg>`,
);
