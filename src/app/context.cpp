#include "app/context.h"
