export type { ConnectMessage } from './messages.ts';
export { finishConnect } from './finish-connect.ts';
export { type Connect, type ConnectEvent, type ConnectOptions, openConnect } from './open-connect.ts';
