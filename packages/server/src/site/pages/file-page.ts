// The record of a file: its origin, its scans, and every entry with its checksum.
import { isError } from '@chauffeur/contract/errors';
import { formatPlatform } from '@chauffeur/contract/format';
import type { OutputOf } from '@chauffeur/contract/operation';
import type { ScanState } from '@chauffeur/contract/operations/files';
import { getProvenance, getPublicGame } from '@chauffeur/contract/operations/store';
import { showHidden } from '@chauffeur/contract/text';
import { prefersJson } from '../../request/negotiation.ts';
import { formatSource, type Texts } from '../texts.ts';
import { type Html, html } from './html.ts';
import { pathWith, type Tone, writeBadge, writeBytes, writeCopied, writeDay } from './parts.ts';
import type { PublicPage, Visit } from './visit.ts';

type Provenance = OutputOf<typeof getProvenance>;
type Entry = Provenance['entries'][number];

/** A zip may have 200,000 entries, so a page shows a few of them. */
const PAGE_SIZE = 100;

export async function writeFilePage(visit: Visit): Promise<PublicPage> {
  const { ctx, ask, caller, params, texts } = visit;
  const { uid = '', file_uid = '' } = params;
  const game = await ask(getPublicGame, caller, { uid });
  const path = `/g/${game.slug}`;
  const file = await ask(getProvenance, caller, { uid, file_uid }).catch((error) => {
    if (prefersJson(visit.headers)) throw error;
    return asNoLongerOffered(error);
  });
  if (file === null) return writeNotOffered(ctx.publicUrl + path, path, texts);
  const filename = showHidden(file.download_name);
  const image = game.cover ?? game.thumbnail;
  return {
    status: 200,
    head: {
      title: texts.t('file.title', { filename }),
      description: texts.t('file.description', { filename, game: game.name }),
      url: `${ctx.publicUrl}${path}/files/${file.file_uid}`,
      ...(image !== null && { image: { url: image.url, width: image.width, height: image.height, alt: game.name } }),
      isHidden: game.visibility !== 'public' || Object.keys(visit.query).length > 0,
    },
    main: html`<header class="file-head">
<a href="${path}"><bdi>${game.name}</bdi></a>
<h1><bdi>${filename}</bdi></h1>
<p class="dimmed">${texts.t('file.introduction')}</p>
</header>
<div class="file-columns">
<section aria-labelledby="origin"><h2 id="origin">${texts.t('file.origin')}</h2>${writeOrigin(file, texts)}</section>
<section aria-labelledby="scans"><h2 id="scans">${texts.t('file.scans')}</h2>${writeScans(file.scan.history, texts)}</section>
</div>
${writeEntries(file.entries, visit, `${path}/files/${file.file_uid}`)}`,
  };
}

/** A caller who may see the game learns that the file was replaced. */
function asNoLongerOffered(error: unknown): null {
  if (isError(error, 'notOnChannel')) return null;
  throw error;
}

function writeNotOffered(url: string, path: string, texts: Texts): PublicPage {
  return {
    status: 404,
    head: { title: texts.t('file.missing.title'), description: '', url, isHidden: true },
    main: html`<h1>${texts.t('file.missing')}</h1>
<p>${texts.t('file.missing.why')}</p>
<p><a href="${path}">${texts.t('file.missing.link')}</a></p>`,
  };
}

function writeOrigin(file: Provenance, texts: Texts): Html {
  const reused = file.reused.reduce((sum, { bytes }) => sum + bytes, 0);
  const facts: readonly (readonly [string, Html | string])[] = [
    [texts.t('file.source'), html`<bdi>${formatSource(texts, file.origin)}</bdi>`],
    [texts.t('file.uploaded'), writeDay(file.uploaded_at, texts)],
    [texts.t('file.build'), texts.t('file.build.value', { version: file.version, platform: formatPlatform(file) })],
    [texts.t('file.channel'), file.channel],
    [texts.t('file.buildId'), writeCopied(file.build_id, texts.t('file.copy.buildId'), texts)],
    [texts.t('file.size'), writeBytes(file.size, texts)],
    ...(reused > 0 ? [[texts.t('file.reused'), writeBytes(reused, texts)] as const] : []),
    [texts.t('file.checksum'), writeCopied(file.checksum, texts.t('file.copy.checksum'), texts)],
  ];
  return html`<dl class="facts">${facts.map(([name, value]) => html`<dt>${name}</dt><dd>${value}</dd>`)}</dl>`;
}

const TONES: Readonly<Record<ScanState, Tone>> = {
  pending: 'none',
  scanning: 'busy',
  clean: 'good',
  infected: 'bad',
  error: 'bad',
  unscanned: 'unsure',
};

function writeScans(events: Provenance['scan']['history'], texts: Texts): Html {
  const items = events.map(({ at, state, engine, signature_version: signatures, detail }) => {
    const scanner =
      signatures === null ? engine : texts.t('file.signatures', { engine: engine ?? '', version: signatures });
    return html`<li>${writeBadge(TONES[state], texts.t(`file.state.${state}`))} <span class="dimmed">${writeDay(at, texts)}</span>${engine !== null && html`<p>${scanner}</p>`}${detail !== null && html`<p>${showHidden(detail)}</p>`}</li>`;
  });
  return html`<ol class="history">${items}</ol>`;
}

/** The script of the page replaces `#entries` while the visitor types. */
function writeEntries(entries: readonly Entry[], { query, texts }: Visit, path: string): Html {
  const { q = '', page = '1' } = query;
  const matches = findEntries(entries, q);
  const pages = Math.max(1, Math.ceil(matches.length / PAGE_SIZE));
  const no = Math.min(pages, /^[1-9]\d{0,5}$/.test(page) ? Number(page) : 1);
  const shown = matches.slice((no - 1) * PAGE_SIZE, no * PAGE_SIZE);
  const link = (to: number, label: string) =>
    html`<a class="button small" href="${pathWith(path, { q: q || undefined, page: to === 1 ? undefined : String(to) })}#entries-title">${label}</a>`;
  const count = entries.length;
  const total = texts.t('file.entries.count', { count, shown: texts.compactNumber(count) });
  return html`<section class="entries" aria-labelledby="entries-title">
<div class="entries-head"><h2 id="entries-title">${texts.t('file.entries')}</h2>
<search class="search"><form action="${path}"><input type="search" name="q" value="${q}" maxlength="200" aria-label="${texts.t('file.entries.search')}" placeholder="${texts.t('file.entries.search')}" data-filter="entries"></form></search></div>
<div id="entries">
<p class="dimmed" role="status">${q === '' ? total : texts.t('file.entries.found', { found: texts.number(matches.length), entries: total })}</p>
${entries.length === 0 && html`<p>${texts.t('file.entries.none')}</p>`}
${shown.length > 0 && writeTable(shown, texts)}
${pages > 1 && html`<nav class="pages" aria-label="${texts.t('pages')}">${no > 1 && link(no - 1, texts.t('pages.previous'))}<span>${texts.t('pages.place', { no, total: pages })}</span>${no < pages && link(no + 1, texts.t('pages.next'))}</nav>`}
</div>
</section>`;
}

function writeTable(entries: readonly Entry[], texts: Texts): Html {
  const rows = entries.map(({ path, type, size, sha256 }) => {
    const shownPath = showHidden(path);
    const sizeCell =
      type === 'file'
        ? html`<td title="${texts.t('bytes', { count: size })}">${texts.size(size)}</td>`
        : html`<td>${texts.t(`file.entries.${type}`)}</td>`;
    return html`<tr><td class="path"><bdi>${shownPath}</bdi></td>${sizeCell}<td class="checksum">${sha256 !== null && writeCopied(sha256, texts.t('file.copy.checksumOf', { path: shownPath }), texts)}</td></tr>`;
  });
  return html`<table aria-label="${texts.t('file.entries')}"><thead><tr><th scope="col">${texts.t('file.entries.path')}</th><th scope="col">${texts.t('file.size')}</th><th scope="col">${texts.t('file.checksum')}</th></tr></thead><tbody>${rows}</tbody></table>`;
}

/** Entries whose path contains `text`, ignoring case, or whose checksum starts with it. All entries if `text` is empty. */
export function findEntries<E extends Pick<Entry, 'path' | 'sha256'>>(
  entries: readonly E[],
  text: string,
): readonly E[] {
  const query = text.trim().toLowerCase();
  if (query === '') return entries;
  return entries.filter(({ path, sha256 }) => path.toLowerCase().includes(query) || sha256?.startsWith(query) === true);
}
