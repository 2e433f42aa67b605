// Binds the operations of channels to the functions that serve them.
import * as contract from '@chauffeur/contract/operations/channels';
import { handle, type Route } from '../../request/route.ts';
import { joinBeta, leaveBeta, listBetaMembers, removeBetaMember } from './beta.ts';
import {
  listChannelMoves,
  listChannels,
  listToolChannels,
  promoteBuild,
  promoteWithKey,
  rollbackChannel,
  rollbackWithKey,
} from './channels.ts';

export const ROUTES: readonly Route[] = [
  handle(contract.listChannels, listChannels),
  handle(contract.promoteBuild, promoteBuild),
  handle(contract.rollbackChannel, rollbackChannel),
  handle(contract.listToolChannels, listToolChannels),
  handle(contract.promoteWithKey, promoteWithKey),
  handle(contract.rollbackWithKey, rollbackWithKey),
  handle(contract.listChannelMoves, listChannelMoves),
  handle(contract.joinBeta, joinBeta),
  handle(contract.leaveBeta, leaveBeta),
  handle(contract.listBetaMembers, listBetaMembers),
  handle(contract.removeBetaMember, removeBetaMember),
];
