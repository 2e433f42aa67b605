// Binds the operations of the store to the functions that serve them.
import * as browse from '@chauffeur/contract/operations/browse';
import * as developers from '@chauffeur/contract/operations/developers';
import * as shelves from '@chauffeur/contract/operations/shelves';
import * as store from '@chauffeur/contract/operations/store';
import type { Context } from '../../context.ts';
import { bindJob, type JobBinding } from '../../kernel/jobs/binding.ts';
import { renderMarkdown } from '../../kernel/text/markdown.ts';
import { countPublicRead } from '../../request/address-limit.ts';
import { handle, type Route, stream } from '../../request/route.ts';
import { browseGames, listTags } from './browse.ts';
import { getDeveloper } from './developers.ts';
import { getFeatured, getFeaturedChoice, setFeatured } from './featured.ts';
import { downloadByLink, downloadFile, getShelf } from './http.ts';
import { getProvenance } from './provenance.ts';
import { getPublicGame } from './public-game.ts';
import { countRecentDownloads, recentDownloadsJob } from './recent-downloads.job.ts';
import { listReleases } from './releases.ts';
import { listSimilar } from './similar.ts';
import { getListing } from './store.ts';

export const ROUTES: readonly Route[] = [
  handle(browse.browseGames, browseGames),
  handle(browse.listTags, listTags),
  handle(developers.getDeveloper, getDeveloper),
  handle(store.getPublicGame, getPublicGame),
  handle(store.listReleases, listReleases),
  handle(store.listSimilar, listSimilar),
  handle(store.renderMarkdown, async (_, { input }) => ({ html: renderMarkdown(input.text) }), countPublicRead),
  stream(store.downloadFile, downloadFile),
  stream(store.downloadByLink, downloadByLink),
  handle(store.getProvenance, getProvenance),
  stream(shelves.getShelf, getShelf),
  handle(shelves.getFeatured, getFeatured),
  handle(shelves.getFeaturedChoice, getFeaturedChoice),
  handle(shelves.setFeatured, setFeatured),
  handle(shelves.getListing, getListing),
];

export const JOBS: readonly JobBinding<Context>[] = [
  bindJob(recentDownloadsJob, countRecentDownloads, { cron: '37 * * * *', lane: 'long' }),
];
