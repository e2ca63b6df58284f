import { z } from 'zod';

/** The parts of the responses that the demo reads. */
export const createdUser = z.object({ code: z.string(), service_user_id: z.int(), app_user_id: z.string() });
export const tokens = z.object({ access_token: z.string(), refresh_token: z.string(), expires_in: z.int() });
export const healthSystems = z.object({
  total: z.int(),
  entry: z.array(z.object({ id: z.int(), name: z.string(), address: z.string() })),
});
export const connections = z.object({
  entry: z.array(
    z.object({
      fhirVersion: z.string(),
      status: z.string(),
      progress: z.object({ collected: z.int(), types_done: z.int(), types_total: z.int() }),
      error: z.string().optional(),
    }),
  ),
});
const coding = z.object({ system: z.string().optional(), code: z.string().optional(), display: z.string().optional() });
const concept = z.object({ coding: z.array(coding).optional(), text: z.string().optional() });
export const bundle = z.object({
  total: z.int().optional(),
  entry: z
    .array(
      z.object({
        resource: z.object({
          resourceType: z.string(),
          id: z.string().optional(),
          birthDate: z.string().optional(),
          gender: z.string().optional(),
          name: z
            .array(
              z.object({
                text: z.string().optional(),
                family: z.union([z.string(), z.array(z.string())]).optional(),
                given: z.array(z.string()).optional(),
              }),
            )
            .optional(),
          code: concept.optional(),
          valueQuantity: z.object({ value: z.number().optional(), unit: z.string().optional() }).optional(),
        }),
      }),
    )
    .optional(),
});
export const stored = z.object({
  resourceType: z.string(),
  id: z.string(),
  meta: z.object({ versionId: z.string(), lastUpdated: z.string() }),
});
export const manifest = z.object({
  transactionTime: z.string(),
  output: z.array(z.object({ type: z.string(), url: z.string(), count: z.int().optional() })),
});
