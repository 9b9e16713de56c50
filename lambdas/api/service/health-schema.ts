import * as z from 'zod';
import { timestampSchema } from '../request/common-schema.ts';

export const healthView = z.object({ status: z.literal('ok'), time: timestampSchema }).meta({ id: 'Health' });
