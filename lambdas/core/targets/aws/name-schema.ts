import * as z from 'zod';
import { NAME_PATTERN } from '../../ids.ts';

export const nameSchema = z
  .string()
  .regex(NAME_PATTERN, {
    error: 'A name begins with a letter or digit and has 1 to 64 letters, digits, "_", "-" or "." in all.',
  })
  .meta({ examples: ['nightly-report'] });
