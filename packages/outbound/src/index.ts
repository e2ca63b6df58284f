export { ExpansionLimit } from './expansion-limit';
export { OutboundHttp, type OutboundRequest, type OutboundStream } from './outbound-http';
export { assertPublicUrl, isPublicAddress } from './public-address';
export { OutboundRequestFailed } from './request-failed';
