import { Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent, type AgentOptions } from 'node:https';
import { lookupPublicAddress } from './public-address';

export interface Agents {
  httpAgent: HttpAgent;
  httpsAgent: HttpsAgent;
}

/**
 * HTTP agents that connect to public addresses only. The check is part of the name resolution of each connection, so DNS rebinding cannot bypass it.
 * @param options `allowPrivateAddresses` disables the check, for the sandbox
 */
export function outboundAgents(options: { allowPrivateAddresses: boolean } & AgentOptions): Agents {
  const { allowPrivateAddresses, ...agentOptions } = options;
  // Node's types declare `lookup` for requests only, but an agent passes it on.
  const checked = {
    ...agentOptions,
    ...(allowPrivateAddresses ? {} : { lookup: lookupPublicAddress }),
  } as AgentOptions;
  return { httpAgent: new HttpAgent(checked), httpsAgent: new HttpsAgent(checked) };
}
