import { BlockList, isIPv6 } from 'node:net';
import { z } from 'zod';
import { type KubernetesObject, namespace } from './helm';

const selector = z.strictObject({ matchLabels: z.record(z.string(), z.string()) });
const peer = z.strictObject({
  podSelector: selector.optional(),
  namespaceSelector: selector.optional(),
  ipBlock: z.strictObject({ cidr: z.string(), except: z.array(z.string()).default([]) }).optional(),
});
/** Kubernetes takes an absent list for an empty one, and an empty one for everybody. */
const peers = z
  .array(peer)
  .nullish()
  .transform((list) => list ?? []);
const ports = z.array(z.strictObject({ protocol: z.string(), port: z.number() })).min(1);
const policy = z.strictObject({
  podSelector: selector,
  policyTypes: z.tuple([z.literal('Ingress'), z.literal('Egress')]),
  ingress: z.array(z.strictObject({ from: peers, ports })).default([]),
  egress: z.array(z.strictObject({ to: peers, ports })).default([]),
});

/** A pod of a namespace, or an address outside of the cluster. */
export type Endpoint = { labels: Readonly<Record<string, string>>; namespace?: string } | { address: string };

/** What NetworkPolicies let through, as Kubernetes evaluates them. */
export class NetworkPolicies {
  readonly #policies: z.output<typeof policy>[];

  constructor(objects: readonly KubernetesObject[]) {
    this.#policies = objects.filter(({ kind }) => kind === 'NetworkPolicy').map(({ spec }) => policy.parse(spec));
  }

  /** Whether the policies of both ends allow a connection. */
  allow(from: Endpoint, to: Endpoint, port: number, protocol = 'TCP'): boolean {
    const listed = (rules: { peers: z.output<typeof peers>; ports: z.output<typeof ports> }[], other: Endpoint) =>
      rules.some(
        (rule) =>
          rule.ports.some((one) => one.port === port && one.protocol === protocol) &&
          (rule.peers.length === 0 || rule.peers.some((each) => isPeer(each, other))),
      );
    const egress = this.#of(from);
    const ingress = this.#of(to);
    return (
      (egress.length === 0 ||
        listed(
          egress.flatMap((one) => one.egress.map((rule) => ({ ...rule, peers: rule.to }))),
          to,
        )) &&
      (ingress.length === 0 ||
        listed(
          ingress.flatMap((one) => one.ingress.map((rule) => ({ ...rule, peers: rule.from }))),
          from,
        ))
    );
  }

  /** The policies that select a pod. Without one, everything is allowed. */
  #of(endpoint: Endpoint): z.output<typeof policy>[] {
    if ('address' in endpoint || (endpoint.namespace ?? namespace) !== namespace) return [];
    return this.#policies.filter(({ podSelector }) => isSelected(podSelector, endpoint.labels));
  }
}

function isPeer({ ipBlock, podSelector, namespaceSelector }: z.output<typeof peer>, endpoint: Endpoint): boolean {
  if ('address' in endpoint)
    return (
      ipBlock !== undefined &&
      isWithin(ipBlock.cidr, endpoint.address) &&
      !ipBlock.except.some((range) => isWithin(range, endpoint.address))
    );
  if (ipBlock) return false;
  const of = endpoint.namespace ?? namespace;
  const isNamespace = namespaceSelector
    ? isSelected(namespaceSelector, { 'kubernetes.io/metadata.name': of })
    : of === namespace;
  return isNamespace && (podSelector === undefined || isSelected(podSelector, endpoint.labels));
}

function isSelected({ matchLabels }: z.output<typeof selector>, labels: Readonly<Record<string, string>>): boolean {
  return Object.entries(matchLabels).every(([name, value]) => labels[name] === value);
}

function isWithin(range: string, address: string): boolean {
  const [network = '', prefix] = range.split('/');
  const family = isIPv6(network) ? 'ipv6' : 'ipv4';
  if (isIPv6(address) !== isIPv6(network)) return false;
  const list = new BlockList();
  list.addSubnet(network, Number(prefix), family);
  return list.check(address, family);
}
