// Where better-auth finds the address of a client.

/**
 * The HTTP layer sets this header to the client's address before it passes a request to better-auth. Clients cannot set
 * it.
 */
export const CLIENT_ADDRESS_HEADER = 'x-chauffeur-client';
