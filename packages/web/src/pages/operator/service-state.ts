// The data of the status page.
import type { OutputOf } from '@chauffeur/contract/operation';
import type { getServiceState } from '@chauffeur/contract/operations/operator';

export type ServiceState = OutputOf<typeof getServiceState>;
