export { ExpansionLimit } from './expansion-limit';
export { GuardedHttp, type OutboundRequest, type OutboundResponse, type OutboundStream } from './guarded-http';
export { PublicApi } from './public-api';
export { assertPublicUrl, isPublicAddress } from './public-address';
export { OutboundRequestFailed } from './request-failed';
