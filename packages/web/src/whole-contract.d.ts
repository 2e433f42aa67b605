// Modules of the contract as they are, without what `slim-contract.ts` leaves out.
declare module '@chauffeur/contract/errors?whole' {
  export { ERRORS } from '@chauffeur/contract/errors';
}
