// The record of a file: its origin, its scans, and every entry with its checksum.
import { ApiError } from '@chauffeur/contract/errors';
import { formatBytes, formatCompactNumber, formatNumber, formatPlatform } from '@chauffeur/contract/format';
import type { OutputOf } from '@chauffeur/contract/operation';
import type { ScanState } from '@chauffeur/contract/operations/files';
import { getProvenance, getPublicGame } from '@chauffeur/contract/operations/store';
import { formatSource } from '@chauffeur/contract/store-format';
import { findEntries } from './find-entries.ts';
import { foreignText, type Html, html } from './html.ts';
import { pathWith, type Tone, writeBadge, writeBytes, writeCopied, writeDay } from './parts.ts';
import type { PublicPage, Visit } from './visit.ts';

type Provenance = OutputOf<typeof getProvenance>;
type Entry = Provenance['entries'][number];

/** A zip may have 200,000 entries, so a page shows a few of them. */
const PAGE_SIZE = 100;

export async function writeFilePage(visit: Visit): Promise<PublicPage> {
  const { ctx, ask, caller, params } = visit;
  const { uid = '', file_uid = '' } = params;
  const game = await ask(getPublicGame, caller, { uid });
  const path = `/g/${game.slug}`;
  const file = await ask(getProvenance, caller, { uid, file_uid }).catch(asNoLongerOffered);
  if (file === null) return writeNotOffered(ctx.publicUrl, path);
  const filename = foreignText(file.filename);
  const image = game.cover ?? game.thumbnail;
  return {
    status: 200,
    head: {
      title: `File record: ${filename}`,
      description: `Where ${filename} of ${game.name} came from, and what its scans found.`,
      url: `${ctx.publicUrl}${path}/files/${file.file_uid}`,
      ...(image !== null && { image: { url: image.url, width: image.width, height: image.height, alt: game.name } }),
      isHidden: game.visibility !== 'public' || Object.keys(visit.query).length > 0,
    },
    main: html`<header class="file-head">
<a href="${path}"><bdi>${game.name}</bdi></a>
<h1><bdi>${filename}</bdi></h1>
<p class="dimmed">Where this download came from and what its scans found.</p>
</header>
<div class="file-columns">
<section aria-labelledby="origin"><h2 id="origin">Origin</h2>${writeOrigin(file)}</section>
<section aria-labelledby="scans"><h2 id="scans">Scans</h2>${writeScans(file.scan.history)}</section>
</div>
${writeEntries(file.entries, visit, `${path}/files/${file.file_uid}`)}`,
  };
}

/** A caller who may see the game learns that the file was replaced. */
function asNoLongerOffered(error: unknown): null {
  if (error instanceof ApiError && error.code === 4074) return null;
  throw error;
}

function writeNotOffered(publicUrl: string, path: string): PublicPage {
  return {
    status: 404,
    head: { title: 'File not available', description: '', url: publicUrl + path, isHidden: true },
    main: html`<h1>This file isn't available</h1>
<p>It may have been replaced by a newer build, or you may not be in its channel.</p>
<p><a href="${path}">See current downloads</a></p>`,
  };
}

function writeOrigin(file: Provenance): Html {
  const facts: readonly (readonly [string, Html | string])[] = [
    ['Source', html`<bdi>${formatSource(file.origin)}</bdi>`],
    ['Uploaded', writeDay(file.uploaded_at)],
    ['Build', `${file.version} for ${formatPlatform(file)}`],
    ['Channel', file.channel],
    ['Build ID', writeCopied(file.build_id, 'build ID')],
    ['Size', writeBytes(file.size)],
    ['SHA-256', writeCopied(file.checksum, 'checksum')],
  ];
  return html`<dl class="facts">${facts.map(([name, value]) => html`<dt>${name}</dt><dd>${value}</dd>`)}</dl>`;
}

const STATES: Readonly<Record<ScanState, { tone: Tone; label: string }>> = {
  pending: { tone: 'none', label: 'Uploaded, queued for scan' },
  scanning: { tone: 'busy', label: 'Scanning' },
  clean: { tone: 'good', label: 'Clean' },
  infected: { tone: 'bad', label: 'Infected' },
  error: { tone: 'bad', label: "Couldn't be scanned" },
  unscanned: { tone: 'unsure', label: 'Not scanned' },
};

function writeScans(events: Provenance['scan']['history']): Html {
  const items = events.map(({ at, state, engine, signature_version: signatures, detail }) => {
    const { tone, label } = STATES[state];
    const scanner = engine !== null && html`<p>${engine}${signatures !== null && `, signatures ${signatures}`}</p>`;
    return html`<li>${writeBadge(tone, label)} <span class="dimmed">${writeDay(at)}</span>${scanner}${detail !== null && html`<p>${foreignText(detail)}</p>`}</li>`;
  });
  return html`<ol class="history">${items}</ol>`;
}

/** The script of the page replaces `#entries` while the visitor types. */
function writeEntries(entries: readonly Entry[], { query }: Visit, path: string): Html {
  const { q = '', page = '1' } = query;
  const matches = findEntries(entries, q);
  const pages = Math.max(1, Math.ceil(matches.length / PAGE_SIZE));
  const no = Math.min(pages, /^[1-9]\d{0,5}$/.test(page) ? Number(page) : 1);
  const shown = matches.slice((no - 1) * PAGE_SIZE, no * PAGE_SIZE);
  const link = (to: number, label: string) =>
    html`<a class="button small" href="${pathWith(path, { q: q || undefined, page: to === 1 ? undefined : String(to) })}#entries-title">${label}</a>`;
  return html`<section class="entries" aria-labelledby="entries-title">
<div class="entries-head"><h2 id="entries-title">Files in the zip</h2>
<search class="search"><form action="${path}"><input type="search" name="q" value="${q}" maxlength="200" aria-label="Search by path or checksum" placeholder="Search by path or checksum" data-filter="entries"></form></search></div>
<div id="entries">
<p class="dimmed" role="status">${q === '' ? formatEntries(entries.length) : `${formatNumber(matches.length)} of ${formatEntries(entries.length)}`}</p>
${entries.length === 0 && html`<p>No entries yet. They appear after the scan.</p>`}
${shown.length > 0 && writeTable(shown)}
${pages > 1 && html`<nav class="pages" aria-label="Pages">${no > 1 && link(no - 1, 'Previous')}<span>Page ${no} of ${pages}</span>${no < pages && link(no + 1, 'Next')}</nav>`}
</div>
</section>`;
}

function formatEntries(count: number): string {
  return `${formatCompactNumber(count)} ${count === 1 ? 'entry' : 'entries'}`;
}

function writeTable(entries: readonly Entry[]): Html {
  const rows = entries.map(({ path, type, size, sha256 }) => {
    const shownPath = foreignText(path);
    const sizeCell =
      type === 'file'
        ? html`<td title="${formatNumber(size)} bytes">${formatBytes(size)}</td>`
        : html`<td>${type}</td>`;
    return html`<tr><td class="path"><bdi>${shownPath}</bdi></td>${sizeCell}<td class="checksum">${sha256 !== null && writeCopied(sha256, `checksum of ${shownPath}`)}</td></tr>`;
  });
  return html`<table aria-label="Files in the zip"><thead><tr><th scope="col">Path</th><th scope="col">Size</th><th scope="col">SHA-256</th></tr></thead><tbody>${rows}</tbody></table>`;
}
