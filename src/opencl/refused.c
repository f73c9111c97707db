/* SPDX-License-Identifier: MIT */
/* The rest of the dispatch table that is not built: pipes, other program sources, other APIs. Each
 * has the signature that callers use. */
#include "opencl/sub_device.h"

static const char no_pipes[] = "pipes are not modelled";
static const char no_languages[] =
    "programs come from OpenCL C source or from Wavetank's own binaries";
static const char no_sharing[] = "there is nothing to share objects with";

cl_mem CL_API_CALL clCreatePipe(cl_context context, cl_mem_flags flags, cl_uint pipe_packet_size,
                                cl_uint pipe_max_packets, const cl_pipe_properties *properties,
                                cl_int *status_place)
{
    return refuse_in_context(__func__, context, no_pipes, CL_INVALID_OPERATION, status_place);
}

cl_int CL_API_CALL clGetPipeInfo(cl_mem pipe, cl_pipe_info name, size_t size, void *value,
                                 size_t *size_return)
{
    return refuse(__func__, no_pipes, CL_INVALID_MEM_OBJECT);
}

cl_program CL_API_CALL clCreateProgramWithIL(cl_context context, const void *il, size_t length,
                                             cl_int *status_place)
{
    return refuse_in_context(__func__, context, no_languages, CL_INVALID_OPERATION, status_place);
}

cl_program CL_API_CALL clCreateProgramWithBuiltInKernels(cl_context context, cl_uint device_count,
                                                         const cl_device_id *devices,
                                                         const char *kernel_names,
                                                         cl_int *status_place)
{
    cl_int status = device_check_list(device_count, devices);

    if (status == CL_SUCCESS && device_count == 0)
        status = CL_INVALID_VALUE;
    return refuse_in_context(__func__, context, no_languages,
                             status != CL_SUCCESS ? status : CL_INVALID_VALUE, status_place);
}

cl_int CL_API_CALL clSetProgramSpecializationConstant(cl_program program, cl_uint spec_id,
                                                      size_t spec_size, const void *spec_value)
{
    return object_is_live(program, OBJECT_PROGRAM)
               ? refuse(__func__, no_languages, CL_INVALID_OPERATION)
               : CL_INVALID_PROGRAM;
}

/* No context here is made from a context of OpenGL, which is what these ask for first; no memory
 * object has an object of OpenGL. */

static cl_int refuse_gl_object(const char *function, cl_mem memory)
{
    return object_is_live(memory, OBJECT_MEMORY)
               ? refuse(function, no_sharing, CL_INVALID_GL_OBJECT)
               : CL_INVALID_MEM_OBJECT;
}

static cl_int enqueue_gl(const char *function, cl_command_queue queue, cl_uint object_count,
                         const cl_mem *memories)
{
    if (!object_is_live(queue, OBJECT_QUEUE))
        return CL_INVALID_COMMAND_QUEUE;
    if (object_count == 0 && memories == NULL)
        return CL_SUCCESS; /* to do nothing is allowed */
    if ((object_count == 0) != (memories == NULL))
        return CL_INVALID_VALUE;
    return refuse(function, no_sharing, CL_INVALID_CONTEXT);
}

cl_mem CL_API_CALL clCreateFromGLBuffer(cl_context context, cl_mem_flags flags, cl_GLuint bufobj,
                                        int *status_place)
{
    return refuse_in_context(__func__, context, no_sharing, CL_INVALID_CONTEXT, status_place);
}

cl_mem CL_API_CALL clCreateFromGLTexture(cl_context context, cl_mem_flags flags, cl_GLenum target,
                                         cl_GLint miplevel, cl_GLuint texture, cl_int *status_place)
{
    return refuse_in_context(__func__, context, no_sharing, CL_INVALID_CONTEXT, status_place);
}

cl_mem CL_API_CALL clCreateFromGLTexture2D(cl_context context, cl_mem_flags flags, cl_GLenum target,
                                           cl_GLint miplevel, cl_GLuint texture,
                                           cl_int *status_place)
{
    return refuse_in_context(__func__, context, no_sharing, CL_INVALID_CONTEXT, status_place);
}

cl_mem CL_API_CALL clCreateFromGLTexture3D(cl_context context, cl_mem_flags flags, cl_GLenum target,
                                           cl_GLint miplevel, cl_GLuint texture,
                                           cl_int *status_place)
{
    return refuse_in_context(__func__, context, no_sharing, CL_INVALID_CONTEXT, status_place);
}

cl_mem CL_API_CALL clCreateFromGLRenderbuffer(cl_context context, cl_mem_flags flags,
                                              cl_GLuint renderbuffer, cl_int *status_place)
{
    return refuse_in_context(__func__, context, no_sharing, CL_INVALID_CONTEXT, status_place);
}

cl_int CL_API_CALL clGetGLObjectInfo(cl_mem memory, cl_gl_object_type *gl_object_type,
                                     cl_GLuint *gl_object_name)
{
    return refuse_gl_object(__func__, memory);
}

cl_int CL_API_CALL clGetGLTextureInfo(cl_mem memory, cl_gl_texture_info name, size_t size,
                                      void *value, size_t *size_return)
{
    return refuse_gl_object(__func__, memory);
}

cl_int CL_API_CALL clEnqueueAcquireGLObjects(cl_command_queue queue, cl_uint object_count,
                                             const cl_mem *memories, cl_uint count,
                                             const cl_event *events, cl_event *event)
{
    return enqueue_gl(__func__, queue, object_count, memories);
}

cl_int CL_API_CALL clEnqueueReleaseGLObjects(cl_command_queue queue, cl_uint object_count,
                                             const cl_mem *memories, cl_uint count,
                                             const cl_event *events, cl_event *event)
{
    return enqueue_gl(__func__, queue, object_count, memories);
}

cl_int CL_API_CALL clGetGLContextInfoKHR(const cl_context_properties *properties,
                                         cl_gl_context_info name, size_t size, void *value,
                                         size_t *size_return)
{
    return refuse(__func__, no_sharing, CL_INVALID_OPERATION);
}

cl_event CL_API_CALL clCreateEventFromGLsyncKHR(cl_context context, cl_GLsync sync,
                                                cl_int *status_place)
{
    return refuse_in_context(__func__, context, no_sharing, CL_INVALID_CONTEXT, status_place);
}

cl_mem CL_API_CALL clCreateFromEGLImageKHR(cl_context context, CLeglDisplayKHR display,
                                           CLeglImageKHR image, cl_mem_flags flags,
                                           const cl_egl_image_properties_khr *properties,
                                           cl_int *status_place)
{
    return refuse_in_context(__func__, context, no_sharing, CL_INVALID_OPERATION, status_place);
}

cl_int CL_API_CALL clEnqueueAcquireEGLObjectsKHR(cl_command_queue queue, cl_uint object_count,
                                                 const cl_mem *memories, cl_uint count,
                                                 const cl_event *events, cl_event *event)
{
    return refuse_in_queue(__func__, queue, no_sharing, CL_INVALID_EGL_OBJECT_KHR);
}

cl_int CL_API_CALL clEnqueueReleaseEGLObjectsKHR(cl_command_queue queue, cl_uint object_count,
                                                 const cl_mem *memories, cl_uint count,
                                                 const cl_event *events, cl_event *event)
{
    return refuse_in_queue(__func__, queue, no_sharing, CL_INVALID_EGL_OBJECT_KHR);
}

cl_event CL_API_CALL clCreateEventFromEGLSyncKHR(cl_context context, CLeglSyncKHR sync,
                                                 CLeglDisplayKHR display, cl_int *status_place)
{
    return refuse_in_context(__func__, context, no_sharing, CL_INVALID_EGL_OBJECT_KHR,
                             status_place);
}
