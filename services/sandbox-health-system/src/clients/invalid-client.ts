/** The error `invalid_client` of RFC 6749, section 5.2: the client could not be authenticated. */
export class InvalidClient extends Error {}
