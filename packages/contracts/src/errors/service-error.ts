import { z } from 'zod';

/** The error body of user management, search and connect. */
export const serviceError = z.object({
  success: z.literal(false),
  error: z.string().describe('A message that names the problem and never quotes a value of the request.'),
  error_code: z.string().describe('A code of the error catalogue, in snake_case.'),
});
