import { Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent, type AgentOptions } from 'node:https';
import { lookupPublicly } from './public-address';

export interface Agents {
  httpAgent: HttpAgent;
  httpsAgent: HttpsAgent;
}

/** Agents whose every connection goes to a public address, checked on the address that is really called; `anyAddress` lets all through (sandbox). */
export function outboundAgents(options: { anyAddress: boolean } & AgentOptions): Agents {
  const { anyAddress, ...agentOptions } = options;
  // Node's types know `lookup` on a request but not on an agent, which hands it on.
  const checked = { ...agentOptions, ...(anyAddress ? {} : { lookup: lookupPublicly }) } as AgentOptions;
  return { httpAgent: new HttpAgent(checked), httpsAgent: new HttpsAgent(checked) };
}
