import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { z } from 'zod';
import { repository } from './helm';

const file = z.object({
  services: z.record(
    z.string(),
    z.object({
      environment: z.record(z.string(), z.coerce.string()).default({}),
      networks: z.array(z.string()).default([]),
      mem_limit: z.string(),
    }),
  ),
});

export const readRepositoryFile = (...path: string[]): string => readFileSync(join(repository, ...path), 'utf8');

/** The containers of docker-compose.yml, by name. */
export const composeServices = file.parse(parse(readRepositoryFile('docker-compose.yml'), { merge: true })).services;

/** The containers in a network of compose. */
export const inNetwork = (network: string): string[] =>
  Object.entries(composeServices)
    .filter(([, { networks }]) => networks.includes(network))
    .map(([name]) => name)
    .sort();
