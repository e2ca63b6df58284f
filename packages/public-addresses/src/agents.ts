import { Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent, type AgentOptions } from 'node:https';
import { lookupPublicAddress } from './public-address';

export interface Agents {
  httpAgent: HttpAgent;
  httpsAgent: HttpsAgent;
}

/** Agents whose every connection goes to a public address, checked on the address that is really called; `allowPrivateAddresses` lets all through (sandbox). */
export function outboundAgents(options: { allowPrivateAddresses: boolean } & AgentOptions): Agents {
  const { allowPrivateAddresses, ...agentOptions } = options;
  // Node's types know `lookup` on a request but not on an agent, which hands it on.
  const checked = {
    ...agentOptions,
    ...(allowPrivateAddresses ? {} : { lookup: lookupPublicAddress }),
  } as AgentOptions;
  return { httpAgent: new HttpAgent(checked), httpsAgent: new HttpsAgent(checked) };
}
