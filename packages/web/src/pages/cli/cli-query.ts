// The query for the `chauffeur` command that this server offers.
import { getCli } from '@chauffeur/contract/operations/cli';
import { ask } from '../../api.ts';

export const cliQuery = ask(getCli, {});
