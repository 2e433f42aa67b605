// Binds the operations of playing in the browser to the functions that serve them.
import * as contract from '@chauffeur/contract/operations/play';
import { handle, type Route } from '../../request/route.ts';
import { getPlay } from './get-play.ts';

export const ROUTES: readonly Route[] = [handle(contract.getPlay, getPlay)];
