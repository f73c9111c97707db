/* SPDX-License-Identifier: MIT */
/* Samplers: three choices, which a kernel gets as one word. */
#include <stdlib.h>

#include "base/bits.h"
#include "opencl/image.h"

/* OpenCL C's CLK_ values: the same that a program's constant samplers have. */
enum { WORD_NORMALIZED = 1, WORD_NEAREST = 0x10, WORD_LINEAR = 0x20 };

static const struct {
    cl_addressing_mode mode;
    uint64_t word;
    bool needs_normalized;
} address_modes[] = {
    {CL_ADDRESS_NONE, 0, false},           {CL_ADDRESS_CLAMP_TO_EDGE, 2, false},
    {CL_ADDRESS_CLAMP, 4, false},          {CL_ADDRESS_REPEAT, 6, true},
    {CL_ADDRESS_MIRRORED_REPEAT, 8, true},
};

static unsigned find_mode(cl_addressing_mode mode)
{
    unsigned i = 0;

    while (i < ARRAY_COUNT(address_modes) && address_modes[i].mode != mode)
        i++;
    return i;
}

uint64_t sampler_word(const struct _cl_sampler *sampler)
{
    return (sampler->is_normalized ? WORD_NORMALIZED : 0) |
           (sampler->filter == CL_FILTER_LINEAR ? WORD_LINEAR : WORD_NEAREST) |
           address_modes[find_mode(sampler->addressing)].word;
}

static void sampler_destroy(struct object *object)
{
    cl_sampler sampler = container_of(object, struct _cl_sampler, object);

    object_drop(&sampler->context->object);
    free(sampler->properties);
    object_free(&sampler->object);
}

static cl_int check_choices(const struct _cl_sampler *choices)
{
    unsigned mode = find_mode(choices->addressing);

    if (choices->is_normalized > CL_TRUE || mode == ARRAY_COUNT(address_modes) ||
        (choices->filter != CL_FILTER_NEAREST && choices->filter != CL_FILTER_LINEAR))
        return refusal(CL_INVALID_VALUE, NULL, "a sampler with addressing mode 0x%x, filter 0x%x",
                       choices->addressing, choices->filter);
    if (address_modes[mode].needs_normalized && !choices->is_normalized)
        return refusal(CL_INVALID_VALUE, NULL,
                       "CL_ADDRESS_REPEAT and CL_ADDRESS_MIRRORED_REPEAT want normalized "
                       "coordinates");
    return CL_SUCCESS;
}

static cl_int sampler_make(const struct _cl_sampler *choices, cl_sampler *place)
{
    cl_int status;

    if (!object_is(choices->context, OBJECT_CONTEXT))
        return CL_INVALID_CONTEXT;
    status = check_choices(choices);
    if (status != CL_SUCCESS)
        return status;
    *place = allocate(1, sizeof **place);
    **place = *choices;
    object_init(&(*place)->object, OBJECT_SAMPLER, sampler_destroy);
    object_use(&choices->context->object);
    return CL_SUCCESS;
}

cl_sampler CL_API_CALL clCreateSampler(cl_context context, cl_bool is_normalized,
                                       cl_addressing_mode addressing, cl_filter_mode filter,
                                       cl_int *status_place)
{
    struct _cl_sampler choices = {.context = context,
                                  .is_normalized = is_normalized,
                                  .addressing = addressing,
                                  .filter = filter};
    cl_sampler sampler = NULL;
    cl_int status;

    driver_enter();
    status = sampler_make(&choices, &sampler);
    return driver_return_object(status_place, status, sampler);
}

/* Each name may be said once. */
static bool take_property(struct _cl_sampler *choices, const cl_sampler_properties *property,
                          bool *is_said)
{
    unsigned which = (unsigned)(property[0] - CL_SAMPLER_NORMALIZED_COORDS);

    switch (property[0]) {
    case CL_SAMPLER_NORMALIZED_COORDS:
        choices->is_normalized = (cl_bool)property[1];
        break;
    case CL_SAMPLER_ADDRESSING_MODE:
        choices->addressing = (cl_addressing_mode)property[1];
        break;
    case CL_SAMPLER_FILTER_MODE:
        choices->filter = (cl_filter_mode)property[1];
        break;
    default:
        return false;
    }
    if (is_said[which])
        return false;
    is_said[which] = true;
    return true;
}

static cl_int make_of_properties(cl_context context, const cl_sampler_properties *properties,
                                 cl_sampler *place)
{
    struct _cl_sampler choices = {.context = context,
                                  .is_normalized = CL_TRUE,
                                  .addressing = CL_ADDRESS_CLAMP,
                                  .filter = CL_FILTER_NEAREST};
    bool is_said[3] = {false};
    cl_int status;

    if (!object_is(context, OBJECT_CONTEXT))
        return CL_INVALID_CONTEXT;
    for (const cl_sampler_properties *p = properties; p != NULL && p[0] != 0; p += 2)
        if (!take_property(&choices, p, is_said))
            return refusal(CL_INVALID_VALUE, NULL,
                           "the sampler's property 0x%llx is none, or was "
                           "said before",
                           (unsigned long long)p[0]);
    status = sampler_make(&choices, place);
    if (status == CL_SUCCESS)
        (*place)->properties = properties_copy(properties);
    return status;
}

cl_sampler CL_API_CALL clCreateSamplerWithProperties(cl_context context,
                                                     const cl_sampler_properties *properties,
                                                     cl_int *status_place)
{
    cl_sampler sampler = NULL;
    cl_int status;

    driver_enter();
    status = make_of_properties(context, properties, &sampler);
    return driver_return_object(status_place, status, sampler);
}

cl_int CL_API_CALL clRetainSampler(cl_sampler sampler)
{
    return object_retain(sampler, OBJECT_SAMPLER, CL_INVALID_SAMPLER);
}

cl_int CL_API_CALL clReleaseSampler(cl_sampler sampler)
{
    return object_release(sampler, OBJECT_SAMPLER, CL_INVALID_SAMPLER);
}

static cl_int sampler_info(const struct _cl_sampler *sampler, cl_sampler_info name,
                           const struct query *query)
{
    switch (name) {
    case CL_SAMPLER_REFERENCE_COUNT:
        return answer_uint(query, sampler->object.references);
    case CL_SAMPLER_CONTEXT:
        return answer_pointer(query, sampler->context);
    case CL_SAMPLER_NORMALIZED_COORDS:
        return answer_uint(query, sampler->is_normalized);
    case CL_SAMPLER_ADDRESSING_MODE:
        return answer_uint(query, sampler->addressing);
    case CL_SAMPLER_FILTER_MODE:
        return answer_uint(query, sampler->filter);
    case CL_SAMPLER_PROPERTIES:
        return answer_properties(query, sampler->properties);
    default:
        return CL_INVALID_VALUE;
    }
}

cl_int CL_API_CALL clGetSamplerInfo(cl_sampler sampler, cl_sampler_info name, size_t size,
                                    void *value, size_t *size_return)
{
    struct query query = {size, value, size_return};
    cl_int status = CL_INVALID_SAMPLER;

    driver_enter();
    if (object_is(sampler, OBJECT_SAMPLER))
        status = sampler_info(sampler, name, &query);
    return driver_return(status);
}
