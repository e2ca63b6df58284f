import type { FinishedMessage } from './messages.ts';
import { channelName } from './open-connect.ts';

/**
 * For the page at the redirect_uri, when the connect pages were opened as a pop-up: tells the window that has opened
 * them what was connected, and closes this one. The windows need not know each other any more, as they have one origin.
 * The result proves nothing: compare the `state` on your server.
 * @param url of the page, with the parameters of the redirect
 */
export function finishConnect(url: string = location.href): void {
  const parameters = new URL(url).searchParams;
  const state = parameters.get('state');
  const channel = new BroadcastChannel(channelName);
  const post = (message: FinishedMessage): void => channel.postMessage(message);
  if (parameters.get('success') === 'true')
    post({
      tributary: 'connected',
      connection_ids: parameters.getAll('connection_id'),
      health_system_ids: parameters.getAll('health_system_id').map(Number),
      state,
    });
  post({ tributary: 'closed', state });
  channel.close();
  close();
}
