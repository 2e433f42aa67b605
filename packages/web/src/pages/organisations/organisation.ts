// The type of an organisation as its page shows it.
import type { OutputOf } from '@chauffeur/contract/operation';
import type { getOrganisation } from '@chauffeur/contract/operations/organisations';

export type Organisation = OutputOf<typeof getOrganisation>;
