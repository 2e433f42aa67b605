// The press kit of a game: a zip of its images, its description and a sheet of facts, made of what its page shows.
import { createHash } from 'node:crypto';
import { getPublicGame, listReleases } from '@chauffeur/contract/operations/store';
import { listOsNames } from '@chauffeur/contract/store-format';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { ANONYMOUS, type Caller, type Context } from '../../context.ts';
import { plainTextOf } from '../../kernel/text/markdown.ts';
import { streamZip, type ZipPart } from '../../kernel/zip/stream-zip.ts';
import { countPublicRead } from '../../request/address-limit.ts';
import { matches } from '../../request/send-blob.ts';
import { type ImageFile, listImageFiles } from '../../ship/media/media.ts';
import { redirectFormer } from '../former-addresses.ts';
import type { Texts } from '../texts.ts';
import { findDates } from './game-facts.ts';
import type { PublicGame } from './structured-data.ts';
import type { Ask } from './visit.ts';

/** Zips can't have an earlier time. For a game without a date, which has neither images nor releases. */
const FIRST_ZIP_TIME = '1980-01-02T00:00:00Z';

type Visitors = {
  readonly identify: (request: FastifyRequest) => Promise<Caller>;
  readonly textsFor: (request: FastifyRequest) => Texts;
};

/** Serves the press kit to anyone who may see the page. */
export function mountPressKit(app: FastifyInstance, ctx: Context, ask: Ask, { identify, textsFor }: Visitors): void {
  app.get<{ Params: { uid: string } }>('/g/:uid/press-kit.zip', async (request, reply) => {
    countPublicRead(ctx, request);
    const caller = await identify(request);
    if (await redirectFormer(ctx, caller, request, reply)) return reply;
    const texts = textsFor(request);
    const { uid } = request.params;
    const game = await ask(getPublicGame, caller, { uid });
    const [images, releases] = await Promise.all([
      listImageFiles(ctx, game.game_uid),
      ask(listReleases, caller, { uid, limit: 1 }),
    ]);
    const folder = `${game.slug}-press-kit`;
    const dates = findDates(game, releases);
    const documents = writeDocuments(game, { dates, texts, publicUrl: ctx.publicUrl });
    const etag = tagOf(folder, documents, images);
    reply
      .header('vary', 'Accept-Language, Cookie, X-Access-Token')
      .header('cache-control', caller === ANONYMOUS ? 'public, no-cache' : 'private, no-cache')
      .header('x-robots-tag', 'noindex')
      .header('etag', etag);
    if (matches(request.headers['if-none-match'], etag)) return reply.code(304).send();
    reply
      .header('content-type', 'application/zip')
      .header('content-disposition', `attachment; filename="${folder}.zip"`);
    if (request.method === 'HEAD') return reply.send();
    const times = [dates.updated, game.published_at, ...images.map((image) => image.uploaded_at.toISOString())];
    const changedAt = new Date(
      times
        .filter((time) => time !== null)
        .sort()
        .at(-1) ?? FIRST_ZIP_TIME,
    );
    const { stream, size } = streamZip([
      ...documents.map(([name, text]) => ({ name: `${folder}/${name}`, changedAt, bytes: Buffer.from(text) })),
      ...images.map((image) => partOf(ctx, folder, image)),
    ]);
    return reply.header('content-length', String(size)).send(stream);
  });
}

/** No name of a file is made of anything that a developer wrote, except for the game's address. */
function partOf(ctx: Context, folder: string, image: ImageFile): ZipPart {
  const { kind, position, key, size, extension, uploaded_at: changedAt } = image;
  const name = kind === 'screenshot' ? `screenshots/${String(position + 1).padStart(2, '0')}` : kind;
  return { name: `${folder}/${name}${extension}`, changedAt, size, open: () => ctx.blobs.read(key) };
}

type Document = readonly [name: string, text: string];

/** The bytes under the id of an image never change. */
function tagOf(folder: string, documents: readonly Document[], images: readonly ImageFile[]): string {
  const content = [folder, documents, images.map(({ media_id, kind, position }) => [media_id, kind, position])];
  return `"${createHash('sha256').update(JSON.stringify(content)).digest('base64url').slice(0, 27)}"`;
}

type Sources = {
  readonly dates: ReturnType<typeof findDates>;
  readonly texts: Texts;
  readonly publicUrl: string;
};

function writeDocuments(game: PublicGame, sources: Sources): Document[] {
  const facts: Document = ['facts.txt', writeFactSheet(game, sources)];
  if (game.description === '') return [facts];
  return [
    facts,
    ['description.md', `${game.description}\n`],
    ['description.txt', `${plainTextOf(game.description)}\n`],
  ];
}

/** A line for each fact; what isn't known is left out. */
function writeFactSheet(game: PublicGame, { dates, texts, publicUrl }: Sources): string {
  const { developer_handle: handle } = game;
  const day = (at: string | null) => (at === null ? '' : texts.day(new Date(at)));
  const facts: readonly (readonly [string, string])[] = [
    [texts.t('press.developer'), handle === null ? game.developer : `${game.developer}, ${publicUrl}/@${handle}`],
    [texts.t('facts.released'), day(dates.released)],
    [texts.t('facts.updated'), day(dates.updated)],
    [texts.t('press.systems'), listOsNames(game.downloads).join(', ')],
    [texts.t('facts.languages'), texts.languages(game.languages)],
    [texts.t('facts.notes'), game.content_notes.join(', ')],
    [texts.t('tags'), game.tags.join(', ')],
    [texts.t('press.page'), `${publicUrl}/g/${game.slug}`],
    [texts.t('videos'), [...game.video_files.map(({ url }) => url), ...game.videos].join(', ')],
    ...game.links.map(({ kind, url }) => [texts.t(`facts.link.${kind}`), url] as const),
  ];
  const lines = facts.filter(([, value]) => value !== '').map(([name, value]) => `${name}: ${value}`);
  const head = [game.name, game.tagline].filter((line) => line !== '');
  return `${[...head, '', ...lines].join('\n')}\n`;
}
